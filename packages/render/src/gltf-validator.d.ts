declare module 'gltf-validator' {
  interface Message {
    code: string;
    message: string;
    /** 0 error, 1 warning, 2 information, 3 hint. */
    severity: number;
    pointer?: string;
  }
  interface Options {
    uri?: string;
    maxIssues?: number;
    writeTimestamp?: boolean;
    externalResourceFunction?: (uri: string) => Promise<Uint8Array>;
  }
  export function validateBytes(
    bytes: Uint8Array,
    options?: Options,
  ): Promise<{ issues: { messages: Message[] } }>;
}
