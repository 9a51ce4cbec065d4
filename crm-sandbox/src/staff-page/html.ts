/** Markup that is already safe. A template escapes all other text. */
export type Html = { readonly html: string }

export type Part = Html | string | number | null | undefined | boolean | readonly Part[]

/**
 * A template of markup. `html\`<b>${name}</b>\`` escapes the name; lists are joined; null, undefined and booleans give
 * no text.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let result = strings[0] ?? ''
  for (const [index, part] of parts.entries()) result += render(part) + (strings[index + 1] ?? '')
  return { html: result }
}

function render(part: Part): string {
  if (part === null || part === undefined || typeof part === 'boolean') return ''
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part))
  return 'html' in part ? part.html : part.map(render).join('')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
