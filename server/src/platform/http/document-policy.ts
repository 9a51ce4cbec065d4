import { createHash } from 'node:crypto'

/**
 * The part of a document's policy that names, by their hashes, the scripts and styles that the document contains. The
 * hashes are those of the built file, so a text that gets into the page in any other way is never run.
 */
export function inlinePolicy(html: string): string {
  return ['script', 'style'].map((kind) => `${kind}-src 'self'${hashesOf(kind, html)}`).join(';')
}

function hashesOf(kind: string, html: string): string {
  const texts = [...html.matchAll(new RegExp(`<${kind}>(.*?)</${kind}>`, 'gs'))].map(([, text = '']) => text)
  return texts.map((text) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`).join('')
}
