/** Text as it is written in an element or an attribute. Its line breaks stay. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`).replaceAll(/\r?\n/g, '<br>')
}
