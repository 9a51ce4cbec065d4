import { keepTabDraft, readTabDraft } from '../../session/tab-drafts.ts'

/** Returns the name under which a draft note on this lead or deal is kept. */
export function noteDraftName(loid: string): string {
  return `note ${loid}`
}

/** Moves a lead's half-written note to the deal that has replaced the lead, unless that deal has one already. */
export function moveNoteDraft(leadLoid: string, dealLoid: string) {
  const [from, to] = [noteDraftName(leadLoid), noteDraftName(dealLoid)]
  const text = readTabDraft(from)
  if (text === '' || readTabDraft(to) !== '') return
  keepTabDraft(to, text)
  keepTabDraft(from, '')
}
