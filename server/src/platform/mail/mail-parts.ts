/**
 * The parts of a mail. render-mail.ts turns the parts into plain text and HTML. layout.mjml defines the look of each
 * part under the part's name.
 */
export type MailPart =
  | { part: 'text'; text: string }
  /** The mail's main action. `text` introduces the action: 'Please confirm your email address'. */
  | { part: 'button'; text?: string; label: string; url: string }
  /** An optional action for the reader. */
  | { part: 'link'; text: string; label: string; url: string }
  /** A person's own words, with their line breaks. */
  | { part: 'quote'; text: string }
  | { part: 'change'; text: string; time: string }
  /** In a mail that lists changes, the heading above the changes of one lead or deal, or of the webhook. */
  | { part: 'record'; name: string; loid: string; url: string }
  /** Small print below the card. */
  | { part: 'footer'; text: string; label: string; url: string }

export function text(words: string): MailPart {
  return { part: 'text', text: words }
}
