import type { Announcement } from '@portal/contract/announcement.ts'
import { readLendersText } from '../../platform/lenders-text.ts'

/** It stands above every page, so it is short. */
const LENGTH_MAX = 2_000

/** Reads what the lender tells all partners (D114). Its id changes with the file. */
export async function readAnnouncement(path: string | undefined): Promise<Announcement | undefined> {
  if (path === undefined) return undefined
  const { text, sha256 } = await readLendersText('ANNOUNCEMENT_FILE', path, LENGTH_MAX)
  return { id: sha256, text }
}
