import { DEFAULT_BRAND_NAME } from '@portal/contract/brand.ts'
import type { SignUpMode } from '@portal/contract/sign-up-mode.ts'
import { type Brand, coloursOf, LOGO_DARK_PATH, LOGO_PATH } from '../brand/brand.ts'
import { escapeHtml } from '../mail/escape-html.ts'

/** What of a page depends on the settings. */
export interface Branding {
  brand: Brand
  /** Says whether the pages offer an account to strangers (D116). */
  signUp: SignUpMode
}

/** Whether the pages are as they were built. */
export function isAsBuilt({ brand: { name, logo, palette }, signUp }: Branding): boolean {
  return name === DEFAULT_BRAND_NAME && !logo && !palette && signUp !== 'invite'
}

/** A page of the app with the lender's name, logo and colours in place of the product's (D115). */
export function brandedPage(built: string, { brand, signUp }: Branding): string {
  const html = signUp === 'invite' ? withoutSignUp(built) : built
  const { name, logo, palette } = brand
  const named = html.replaceAll(DEFAULT_BRAND_NAME, () => escapeHtml(name))
  const coloured = palette ? withHead(named, `<style>${coloursOf(palette)}</style>`) : named
  return logo ? withLogo(coloured, brand) : coloured
}

function withoutSignUp(html: string): string {
  const early = html.replace(/<span data-sign-up>.*?<\/span>/, '')
  return withHead(early, '<meta name="sign-up" content="invite">')
}

function withLogo(html: string, { logo, logoDark }: Brand): string {
  const dark = logoDark ? LOGO_DARK_PATH : LOGO_PATH
  const shape = logo?.isWide ? 'wide' : 'square'
  const icons = logoDark
    ? `<link rel="icon" href="${LOGO_PATH}" media="(prefers-color-scheme: light)"><link rel="icon" href="${dark}" media="(prefers-color-scheme: dark)">`
    : `<link rel="icon" href="${LOGO_PATH}">`
  const boot = `<picture class="boot-mark"><source srcset="${dark}" media="(prefers-color-scheme: dark)"><img src="${LOGO_PATH}" alt=""></picture>`
  const named = logo?.isWide ? html.replaceAll(/<span class="boot-name[^>]*>.*?<\/span>/g, '') : html
  return withHead(named, `<meta name="brand-logo" content="${shape}" data-light="${LOGO_PATH}" data-dark="${dark}">`)
    .replace(/<link rel="icon"[^>]*>/, icons)
    .replaceAll(/<svg class="boot-mark"[\s\S]*?<\/svg>/g, boot)
}

function withHead(html: string, more: string): string {
  return html.replace('</head>', () => `${more}</head>`)
}
