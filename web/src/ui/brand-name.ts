/** The portal's name, which the server writes into the page when it starts (D115). */
export const BRAND_NAME =
  document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? 'Partner Portal'

const logo = document.querySelector<HTMLMetaElement>('meta[name=brand-logo]')

/** The addresses of the lender's logo for each theme. A wide one contains the name. */
export const BRAND_LOGO = logo && {
  light: logo.dataset['light'] ?? '',
  dark: logo.dataset['dark'] ?? '',
  isWide: logo.content === 'wide',
}
