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
  /** Sent in addition to the value, each with a label that says what it shows. */
  pictures?: readonly { label: string; picture: Picture }[];
  /** Replaces the JSON of the value as text, for people and for models that read text. */
  text?: string;
}

export interface Call {
  signal: AbortSignal;
  context: ServerContext;
  /** What the client at the other end can do. */
  capabilities: ClientCapabilities;
}

/** One tool: its description for models, its schemas, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
  /** Whether hosts show its answers in the viewer, and whether the viewer may call it; by default neither. */
  viewer?: { shows?: true; calls?: true };
  /** What to do if it finds nothing; if omitted, what to do about a library that is not there. */
  notFound?: string;
  run(input: z.output<Input>, call: Call): Promise<Answer<z.input<Output>> | InputRequiredResult>;
}

/** A tool of any type; its own definition has checked the types. */
// biome-ignore lint/suspicious/noExplicitAny: input and output meet again inside the definition that made them
export type AnyTool = Tool<any, any>;

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

/** For tools that read the service: they change nothing, and what they read was written by many people. */
export const READ_ONLY: ToolAnnotations = { readOnlyHint: true };

/** Converts an answer to what is sent: the value, the same as text, and the pictures. */
export function toCallToolResult({
  value,
  pictures = [],
  text,
}: Answer<Record<string, unknown>>): CallToolResult {
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
