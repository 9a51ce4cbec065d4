/** Whether the lender invites its partners, which the server writes into the page when it starts (D116). */
export function isByInvitation(): boolean {
  return document.querySelector<HTMLMetaElement>('meta[name=sign-up]')?.content === 'invite'
}
