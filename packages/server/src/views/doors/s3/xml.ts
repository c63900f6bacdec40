import type { FastifyReply } from 'fastify';

export const XML_TYPE = 'application/xml';

/** A document in S3's namespace, except for errors, which have none. */
export function xmlDocument(root: string, content: string): string {
  const namespace = root === 'Error' ? '' : ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${namespace}>${content}</${root}>`;
}

export function element(name: string, text: string | number | boolean): string {
  return `<${name}>${typeof text === 'string' ? escapeText(text) : text}</${name}>`;
}

export function sendXml(reply: FastifyReply, document: string): FastifyReply {
  return reply.type(XML_TYPE).send(document);
}

const SPECIAL = /[&<>"]/g;
/** What XML cannot say in any way. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSPEAKABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeText(text: string): string {
  return text
    .replace(UNSPEAKABLE, '\ufffd')
    .replace(SPECIAL, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('\r', '&#13;');
}
