/** Escapes text for an HTML element or attribute. Line breaks become `<br>`. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`).replaceAll(/\r?\n/g, '<br>')
}
