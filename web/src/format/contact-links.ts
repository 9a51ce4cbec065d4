/** The address of a link that begins a mail to exactly this address, whatever signs it has. */
export function mailLink(email: string): string {
  return `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`
}

/** The address of a link that calls this number. */
export function phoneLink(phone: string): string {
  return `tel:${encodeURIComponent(phone.replace(/[\s()]/g, '')).replaceAll('%2B', '+')}`
}
