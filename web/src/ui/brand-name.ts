/** The portal's name, which the server writes into the page when it starts (D115). */
export const BRAND_NAME =
  document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? 'Partner Portal'
