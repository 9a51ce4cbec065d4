/**
 * The parts of a mail. render-mail.ts makes its plain text and its HTML from these. layout.mjml has the look of each
 * part under its name.
 */
export type MailPart =
  | { part: 'text'; text: string }
  /** What the reader has to do. `text` introduces it: 'Please confirm your email address'. */
  | { part: 'button'; text?: string; label: string; url: string }
  /** What the reader can do, but need not. */
  | { part: 'link'; text: string; label: string; url: string }
  /** A person's own words, with their line breaks. */
  | { part: 'quote'; text: string }
  | { part: 'change'; text: string; time: string }
  /** In a mail about several leads and deals, the one that the changes below it are about. */
  | { part: 'record'; name: string; loid: string; url: string }
  /** Below the card, in small print. */
  | { part: 'footer'; text: string; label: string; url: string }

export function text(words: string): MailPart {
  return { part: 'text', text: words }
}
