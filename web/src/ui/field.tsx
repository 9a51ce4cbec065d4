import { clsx } from 'clsx'
import { CircleAlert, Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'

interface FieldLooks {
  label: string
  error?: string | undefined
  /** Shown below the field. A hint does not stop the form's submission. */
  hint?: ReactNode
  /** Shows the label to screen readers only. Set this if the page already says what the field is. */
  labelHidden?: boolean
  fieldClassName?: string
}

interface FieldShellProps extends FieldLooks {
  id: string
  required?: boolean | undefined
  children: ReactNode
}

function FieldShell({ id, label, error, hint, labelHidden, required, fieldClassName, children }: FieldShellProps) {
  return (
    <div className={clsx('flex min-w-0 flex-col gap-1.5', fieldClassName)}>
      <label
        htmlFor={id}
        className={clsx(
          labelHidden ? 'sr-only' : 'text-[0.8125rem] font-medium text-ink',
          required && 'required-label',
        )}
      >
        {label}
      </label>
      {children}
      {error && (
        <p id={`${id}-error`} className="flex items-start gap-1.5 text-[0.8125rem] text-error-ink">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {error}
        </p>
      )}
      {hint && (
        <div id={`${id}-hint`} className="text-[0.8125rem] text-muted">
          {hint}
        </div>
      )}
    </div>
  )
}

/** The attributes that connect a control with its label, error and hint. */
function useControl({ error, hint }: FieldLooks, givenId: string | undefined) {
  const ownId = useId()
  const id = givenId ?? ownId
  const describedBy = clsx(error && `${id}-error`, hint && `${id}-hint`) || undefined
  return { id, 'aria-invalid': error ? true : undefined, 'aria-describedby': describedBy }
}

function splitLooks<Props extends FieldLooks>({ label, error, hint, labelHidden, fieldClassName, ...rest }: Props) {
  return { looks: { label, error, hint, labelHidden, fieldClassName }, rest }
}

interface TextFieldProps extends FieldLooks, ComponentProps<'input'> {
  /** An icon inside the field, at its start. */
  icon?: ReactNode
  /** A button or mark inside the field, at its end. */
  end?: ReactNode
}

/**
 * A text field. `required` marks the label, and screen readers announce it. The browser's own check stays off, because
 * the form has its own messages.
 */
export function TextField({ icon, end, ...props }: TextFieldProps) {
  const { looks, rest } = splitLooks(props)
  const { className, required, id, ...input } = rest
  const control = useControl(looks, id)
  return (
    <FieldShell {...looks} id={control.id} required={required}>
      <div className="relative">
        {icon && (
          <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-faint [&_svg]:size-4">
            {icon}
          </span>
        )}
        <input
          aria-required={required || undefined}
          className={clsx('control', icon && 'pl-9', end && 'pr-10', className)}
          {...input}
          {...control}
        />
        {end && <span className="absolute inset-y-0 right-1 flex items-center">{end}</span>}
      </div>
    </FieldShell>
  )
}

/** A password field with a button that shows the password. */
export function PasswordField(props: Omit<TextFieldProps, 'type' | 'end'>) {
  const [isShown, setIsShown] = useState(false)
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="off"
      spellCheck={false}
      end={
        <button
          type="button"
          aria-label={isShown ? 'Hide password' : 'Show password'}
          onClick={() => setIsShown(!isShown)}
          className="flex size-8 items-center justify-center rounded-md text-muted hover:text-ink [&_svg]:size-4"
        >
          {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        </button>
      }
    />
  )
}

interface TextAreaProps extends FieldLooks, ComponentProps<'textarea'> {}

export function TextArea(props: TextAreaProps) {
  const { looks, rest } = splitLooks(props)
  const { className, required, id, ...textarea } = rest
  const control = useControl(looks, id)
  return (
    <FieldShell {...looks} id={control.id} required={required}>
      <textarea
        aria-required={required || undefined}
        className={clsx('control min-h-24 resize-y py-2 [field-sizing:content]', className)}
        {...textarea}
        {...control}
      />
    </FieldShell>
  )
}

export interface Option {
  value: string
  label: string
}

interface SelectFieldProps extends FieldLooks, ComponentProps<'select'> {
  options: readonly (Option | string)[]
  /** The text of the first option, whose value is blank. Without a placeholder, one of `options` is always chosen. */
  placeholder?: string
}

/** The browser's own select, which works on phones and by keyboard as people expect. */
export function SelectField({ options, placeholder, ...props }: SelectFieldProps) {
  const { looks, rest } = splitLooks(props)
  const { className, required, id, ...select } = rest
  const control = useControl(looks, id)
  return (
    <FieldShell {...looks} id={control.id} required={required}>
      <select aria-required={required || undefined} className={clsx('control', className)} {...select} {...control}>
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        {options.map((option) => {
          const { value, label } = typeof option === 'string' ? { value: option, label: option } : option
          return (
            <option key={value} value={value}>
              {label}
            </option>
          )
        })}
      </select>
    </FieldShell>
  )
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode
  hint?: ReactNode
}

export function Checkbox({ label, hint, className, id, ...input }: CheckboxProps) {
  const ownId = useId()
  const inputId = id ?? ownId
  return (
    <div className={clsx('flex min-h-6 items-start gap-2.5', className)}>
      <input
        type="checkbox"
        id={inputId}
        aria-describedby={hint ? `${inputId}-hint` : undefined}
        className="mt-0.5 size-4 shrink-0 accent-brand pointer-coarse:size-5"
        {...input}
      />
      <div>
        <label htmlFor={inputId} className="block py-px font-medium text-ink">
          {label}
        </label>
        {hint && (
          <p id={`${inputId}-hint`} className="text-[0.8125rem] text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
