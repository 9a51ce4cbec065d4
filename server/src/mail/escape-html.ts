/** Text as it stands in an element or an attribute; its line breaks stay breaks. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`).replaceAll(/\r?\n/g, '<br>')
}
