import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFound } from '../../platform/errors.ts'

export type OutboxMail = Awaited<ReturnType<typeof readOutboxMail>>

/** The ids of the newest mails, the newest first. Each id begins with the time. */
export async function listOutbox(folder: string, limit: number): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files
    .map((file) => file.replace(/\.eml$/, ''))
    .toSorted()
    .toReversed()
    .slice(0, limit)
}

export async function readOutboxMail(folder: string, id: string) {
  // Imported here, because only development needs this parser.
  const { default: PostalMime } = await import('postal-mime')
  const source = await readFile(join(folder, `${id}.eml`)).catch(() => {
    throw new NotFound('There is no such mail')
  })
  const { subject = '', to, date, html = '', text = '', headers, attachments } = await PostalMime.parse(source)
  const shown = attachments.reduce((before, { contentId = '', mimeType, content }) => {
    if (typeof content === 'string') return before
    const data = `data:${mimeType};base64,${Buffer.from(content instanceof ArrayBuffer ? new Uint8Array(content) : content).toString('base64')}`
    return before.replaceAll(`"cid:${contentId.replace(/[<>]/g, '')}"`, `"${data}"`)
  }, html)
  return { id, subject, to: to?.map(({ address }) => address).join(', ') ?? '', date, html: shown, text, headers }
}
