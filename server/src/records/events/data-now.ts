/**
 * SQL: the `data` of an event or of news of this partner, in which a note has its present text: the lender may have
 * corrected the note since.
 */
export function dataNow(data: string, partnerId: string): string {
  return `coalesce((select ${data} || jsonb_build_object('content', notes.content) from notes
                     where notes.partner_id = ${partnerId} and notes.id = (${data} ->> 'note_id')::uuid), ${data})`
}
