import { createHash } from 'node:crypto'
import { DOCUMENT_PART_BYTES } from '@portal/contract/documents.ts'
import type { TestPortal } from './start-portal.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any shape
type Body = any

export interface Sender {
  token: string
  post(path: string, body?: object): Promise<{ status: number; body: Body }>
}

export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Sends one part of a file. */
export async function sendPart(
  portal: Pick<TestPortal, 'url'>,
  token: string,
  { id, number, content }: { id: string; number: number; content: Uint8Array<ArrayBuffer> },
): Promise<number> {
  const answer = await fetch(`${portal.url}/api/crm/document/${id}/parts?number=${number}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    body: content,
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Uploads a whole file as the web app does, and returns the last answer. */
export async function upload(
  portal: Pick<TestPortal, 'url'>,
  partner: Sender,
  {
    loid,
    name,
    content,
    requestId,
  }: { loid: string; name: string; content: Uint8Array<ArrayBuffer>; requestId?: string },
) {
  const file = { name, size: content.byteLength, sha256: sha256(content), request_id: requestId }
  const begun = await partner.post(`/crm/documents/${loid}`, file)
  if (begun.status !== 200) return begun
  const { id } = begun.body.data.document
  for (let number = 0; number * DOCUMENT_PART_BYTES < content.byteLength; number++) {
    if (begun.body.data.parts.includes(number)) continue
    const from = number * DOCUMENT_PART_BYTES
    await sendPart(portal, partner.token, { id, number, content: content.subarray(from, from + DOCUMENT_PART_BYTES) })
  }
  return partner.post(`/crm/document/${id}/complete`)
}
