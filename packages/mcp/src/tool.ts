import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Picture } from './pictures.ts';

export interface Answer<Output> {
  value: Output;
  /** Beside the value, each with what it shows. */
  pictures?: readonly { label: string; picture: Picture }[];
  /** Instead of the value, for people and models that read text. */
  text?: string;
}

export interface Call {
  signal: AbortSignal;
  context: ServerContext;
  /** What the client at the other end can do. */
  capabilities: ClientCapabilities;
}

/** One tool: what a model reads of it, its schemas, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
  run(input: z.output<Input>, call: Call): Promise<Answer<z.input<Output>> | InputRequiredResult>;
}

/** A tool whose own definition has checked its types. */
// biome-ignore lint/suspicious/noExplicitAny: input and output meet again inside the definition that made them
export type AnyTool = Tool<any, any>;

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

/** Of a tool that reads the service: it changes nothing, and what it reads was written by many. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** An answer as it is sent: the value, the same as text, and the pictures. */
export function resultOf({ value, pictures = [], text }: Answer<Record<string, unknown>>): CallToolResult {
  return {
    structuredContent: value,
    content: [
      { type: 'text', text: text ?? JSON.stringify(value) },
      ...pictures.flatMap(({ label, picture }) => [
        { type: 'text' as const, text: label },
        {
          type: 'image' as const,
          mimeType: picture.mimeType,
          data: Buffer.from(picture.bytes).toString('base64'),
        },
      ]),
    ],
  };
}
