import type { SignIn } from '@portal/contract/account-forms.ts'
import { type BegunSession, type SecondStep as Step, signIn } from '@portal/contract/accounts.ts'
import { ASK_FOR_INVITATION } from '@portal/contract/sign-up-mode.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  type ChangeEvent,
  type ComponentType,
  lazy,
  type SubmitEvent,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { call } from '../../api/call.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { takeEarlyForm } from '../../document/early-form.ts'
import { Link } from '../../router/link.tsx'
import { useLocation } from '../../router/router-view.tsx'
import { beginSession } from '../../session/begin-session.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.ts'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import type { CheckedSignIn } from './check-sign-in.ts'
import { DemoSignIn, demoQuery } from './demo-sign-in.tsx'
import { isByInvitation } from './is-by-invitation.ts'
import { signInFailureText } from './sign-in-failure-text.ts'
import { useRedirectAfter } from './use-redirect-after.ts'

type Check = (typed: SignIn) => CheckedSignIn

const REDIRECT_DELAY_MS = 500

// Few visits need these components, so they load later.
const SecondStep = lazy(async () => ({ default: (await import('./second-factor/second-step.tsx')).SecondStep }))
// If this button's code does not load, the page works without the button.
const PasskeySignIn = lazy<ComponentType<{ onDone: (begun: BegunSession) => void }>>(async () => {
  const code = await import('./second-factor/passkey-sign-in.tsx').catch(() => undefined)
  return { default: code?.PasskeySignIn ?? (() => null) }
})

export function startLogin({ queryClient }: PageStart) {
  startQuery(queryClient, demoQuery())
}

export function LoginPage() {
  const justCreated = useLocation().state.email ?? ''
  const [values, setValues] = useState({ email: justCreated, password: '' })
  const [touched, setTouched] = useState({ email: false, password: false })
  const [check, setCheck] = useState<Check>(() => checkNothing)
  const { problems } = check(values)
  // Who passes the empty fields, on the way to another button, has made no mistake yet.
  const [isBegun, setIsBegun] = useState(false)
  const isUsed = values.email !== '' || values.password !== '' || touched.email || touched.password
  useEffect(() => {
    if (isUsed) void loadCheck().then((loaded) => setCheck(() => loaded))
  }, [isUsed])

  const login = useMutation({
    async mutationFn(body: SignIn) {
      const checked = (await loadCheck())(body)
      if (checked.ready) return call(signIn, { body: checked.ready })
      document.getElementById(checked.problems.email ? 'email' : 'password')?.focus()
      return null
    },
    onSuccess(answer) {
      if (!answer) return
      if ('second_factor' in answer) setStep(answer.second_factor)
      else handleBegun(answer)
    },
  })
  const [step, setStep] = useState<Step['second_factor'] | null>(null)
  const [expired, setExpired] = useState<string | null>(null)
  const { isSignedIn, handleBegun } = useBegun()

  const formRef = useRef<HTMLFormElement>(null)
  // After signing up, only the password is missing (D137).
  useEffect(() => {
    if (justCreated) formRef.current?.querySelector<HTMLInputElement>('#password')?.focus()
  }, [justCreated])

  // What somebody typed into the document's form, or has submitted with it, before this form replaced it.
  useLayoutEffect(() => {
    const early = takeEarlyForm()
    if (!early) return
    setValues(early.values)
    if (early.focused) document.getElementById(early.focused)?.focus()
    if (early.isSubmitted) submit(early.values)
    // oxlint-disable-next-line react/exhaustive-deps -- the document's form exists only once
  }, [])

  const isEmpty = values.email.trim() === '' || values.password === ''
  const isRunning = login.isPending || isSignedIn

  function handleBack(reason: string | null) {
    setStep(null)
    setExpired(reason)
    setValues({ ...values, password: '' })
    setTouched({ email: false, password: false })
  }

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    setExpired(null)
    submit(values)
  }

  function submit(typed: typeof values) {
    setIsBegun(true)
    setTouched({ email: true, password: true })
    login.mutate(typed)
  }

  function field(name: keyof typeof values) {
    return {
      id: name,
      name,
      value: values[name],
      error: isBegun && touched[name] ? problems[name] : undefined,
      onChange(event: ChangeEvent<HTMLInputElement>) {
        setIsBegun(true)
        setValues({ ...values, [name]: event.target.value })
      },
      onBlur: () => setTouched({ ...touched, [name]: true }),
    }
  }

  if (step) return <SecondStepFrame step={step} onDone={handleBegun} onBack={handleBack} />
  return (
    <AccountFrame
      title="Sign in"
      text="Welcome back. Enter your details to continue."
      footer={
        isByInvitation() ? (
          `New here? ${ASK_FOR_INVITATION}.`
        ) : (
          <>
            New here?{' '}
            <Link {...paths.signUp} state className={textLinkClass}>
              Create Partner Account
            </Link>
          </>
        )
      }
      another={<DemoSignIn isBusy={isRunning} onUse={(demo) => login.mutate(demo)} />}
    >
      <form ref={formRef} noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-4">
        {login.isError && <Alert kind="error">{signInFailureText(login.error)}</Alert>}
        {expired && <Alert kind="error">{expired}</Alert>}
        <TextField label="Email" type="email" autoComplete="username" inputMode="email" {...field('email')} />
        <PasswordField label="Password" autoComplete="current-password" {...field('password')} />
        <div className="-mt-1 text-right">
          <Link {...paths.forgotPassword} state className={`${textLinkClass} inline-block py-0.5 text-[0.8125rem]`}>
            Forgot your password?
          </Link>
        </div>
        <Button type="submit" busy={isRunning} disabled={isEmpty}>
          {isRunning ? 'Signing in' : 'Sign in'}
        </Button>
      </form>
      {'PublicKeyCredential' in window && (
        <Suspense fallback={<div className="mt-4 h-9 pointer-coarse:h-11" />}>
          <PasskeySignIn onDone={handleBegun} />
        </Suspense>
      )}
    </AccountFrame>
  )
}

/**
 * The check of both fields loads when the form is used, with the library of schemas. If it does not load, the server alone
 * checks. The form library is not used at all, because it would be an eighth of this page's code.
 */
async function loadCheck(): Promise<Check> {
  const code = await import('./check-sign-in.ts').catch(() => undefined)
  return code?.checkSignIn ?? checkNothing
}

function checkNothing(typed: SignIn): CheckedSignIn {
  return { ready: typed, problems: {} }
}

/** Keeps a session that has begun, welcomes the person, and opens the dashboard soon after. */
function useBegun() {
  const queryClient = useQueryClient()
  const [isSignedIn, setIsSignedIn] = useState(false)
  useRedirectAfter(isSignedIn, 'dashboard', REDIRECT_DELAY_MS)

  // On a phone the welcome would cover the figures of the page that opens next.
  const welcome = useRef<string>(undefined)
  useEffect(
    () => () => {
      if (welcome.current && window.matchMedia('(width < 40rem)').matches) toast.close(welcome.current)
    },
    [],
  )

  function handleBegun(begun: BegunSession) {
    beginSession(queryClient, begun)
    welcome.current = toast.success(`Welcome back, ${begun.partner.businessName}!`)
    setIsSignedIn(true)
  }

  return { isSignedIn, handleBegun }
}

function SecondStepFrame({
  step,
  onDone,
  onBack,
}: {
  step: Step['second_factor']
  onDone: (begun: BegunSession) => void
  onBack: (reason: string | null) => void
}) {
  return (
    <AccountFrame
      title="Second step"
      text="Your password is correct. Now confirm that it is you."
      footer={
        <button type="button" className={textLinkClass} onClick={() => onBack(null)}>
          Back to the password
        </button>
      }
    >
      <Suspense fallback={<Spinner label="Loading" />}>
        <SecondStep step={step} onDone={onDone} onExpired={onBack} />
      </Suspense>
    </AccountFrame>
  )
}
