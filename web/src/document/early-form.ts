/** What somebody does in the sign-in form of the document, before the app's own form replaces it. */
export interface EarlyForm {
  form: HTMLFormElement
  /** The id of the field with the focus. */
  focused: string | undefined
  isSubmitted: boolean
}

declare global {
  interface Window {
    earlyForm?: EarlyForm
  }
}

const FORM = '#root > [data-early] form'

/** Listens to the document's form. The browser itself never submits it, so no password gets into an address. */
export function beginForm() {
  addEventListener('focusin', ({ target }) => {
    const early = earlyOf(target)
    if (early && target instanceof HTMLInputElement) early.focused = target.id
  })
  addEventListener('focusout', ({ target }) => {
    const early = earlyOf(target)
    // A field also loses the focus when the app's form replaces it.
    setTimeout(() => {
      if (early?.form.isConnected && !early.form.contains(document.activeElement)) early.focused = undefined
    })
  })
  addEventListener('input', ({ target }) => {
    const early = earlyOf(target)
    if (!early) return
    const { email, password } = typedInto(early.form)
    buttonOf(early.form).disabled = email.trim() === '' || password === ''
  })
  addEventListener('submit', (event) => {
    const early = earlyOf(event.target)
    if (!early) return
    event.preventDefault()
    early.isSubmitted = true
    buttonOf(early.form).textContent = 'Signing in'
  })
}

/** Returns what was done in the document's form, which the app's form has replaced. */
export function takeEarlyForm() {
  const early = window.earlyForm
  dropEarlyForm()
  return early && { ...early, values: typedInto(early.form) }
}

/** Forgets what was typed, if the app has opened another page. */
export function dropEarlyForm() {
  delete window.earlyForm
}

function typedInto(form: HTMLFormElement): { email: string; password: string } {
  const valueOf = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? ''
  return { email: valueOf('email'), password: valueOf('password') }
}

function earlyOf(target: EventTarget | null): EarlyForm | undefined {
  const form = target instanceof Element ? target.closest<HTMLFormElement>(FORM) : null
  if (!form) return undefined
  window.earlyForm ??= { form, focused: undefined, isSubmitted: false }
  return window.earlyForm
}

function buttonOf(form: HTMLFormElement): HTMLButtonElement {
  const button = form.querySelector('button')
  if (!button) throw new Error('the form has no button')
  return button
}
