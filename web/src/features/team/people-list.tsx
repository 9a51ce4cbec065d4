import { personName } from '@portal/contract/person-name.ts'
import { ROLE_NAMES, ROLES, type Role, roleOf } from '@portal/contract/roles.ts'
import { changePerson, type PersonChange, type TeamPerson } from '@portal/contract/team.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { formatDate, formatDateTime } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { useSeesPayments } from '../../session/sees-payments.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toast.ts'
import { refreshTeam } from './team.queries.ts'

export function PeopleList({ people }: { people: readonly TeamPerson[] }) {
  return (
    <Card title="People" action={<Badge>{people.length}</Badge>} padded={false}>
      <ul aria-label="People">
        {people.map((person) => (
          <PersonRow key={person.id} person={person} />
        ))}
      </ul>
    </Card>
  )
}

interface Question {
  title: string
  text: string
  confirmLabel: string
  change: PersonChange
}

function PersonRow({ person }: { person: TeamPerson }) {
  const queryClient = useQueryClient()
  const isOneself = useQuery({ ...sessionQuery(), enabled: false }).data?.personId === person.id
  const hasPayments = useSeesPayments()
  const [question, setQuestion] = useState<Question | null>(null)
  const [isLeft, setIsLeft] = useState(false)
  const name = personName(person)
  const activity = person.is_active ? 'Deactivate' : 'Reactivate'

  const change = useMutation({
    mutationFn: (body: PersonChange) => call(changePerson, { params: { id: person.id }, body }),
    onSuccess(changed, asked) {
      toast.success(changedText(changed, asked))
      setIsLeft(!changed.is_active && madeBy(changed) !== undefined)
    },
    onError: toast.failure,
    // The answer to this refresh names the signed-in person's role. If that role has just changed and may not open this
    // page, the app leaves the page.
    onSettled: () => refreshTeam(queryClient),
  })

  function handleRole(text: string) {
    const role = roleOf(text)
    if (!role) return
    if (isOneself) setQuestion(ownRoleQuestion(role))
    else change.mutate({ role })
  }

  function handleConfirm() {
    setQuestion(null)
    if (question) change.mutate(question.change)
  }

  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-3 border-b border-line px-5 py-3.5 last:border-0 sm:grid-cols-[minmax(0,1fr)_8.5rem_8rem]">
      <div className="min-w-0 max-sm:col-span-full">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium break-words">{name}</span>
          {isOneself && <Badge variant="primary">You</Badge>}
          {person.has_second_factor && <Badge variant="success">Second factor</Badge>}
          {!person.is_active && <Badge variant="error">Deactivated</Badge>}
        </p>
        {name !== person.email && <p className="text-[0.8125rem] break-all text-muted">{person.email}</p>}
        <LastSeen at={person.last_seen_at} />
        {hasPayments && person.role !== 'owner' && (
          <Checkbox
            className="mt-1.5"
            label="Sees payments"
            aria-label={`${name} sees payments`}
            checked={change.isPending ? (change.variables.sees_money ?? person.sees_money) : person.sees_money}
            aria-disabled={change.isPending || undefined}
            onChange={(event) => change.mutate({ sees_money: event.target.checked })}
          />
        )}
      </div>
      <SelectField
        label={`Role of ${name}`}
        labelHidden
        options={ROLES.map((role) => ({ value: role, label: ROLE_NAMES[role] }))}
        value={change.isPending ? (change.variables.role ?? person.role) : person.role}
        aria-disabled={change.isPending || undefined}
        onChange={(event) => handleRole(event.target.value)}
        fieldClassName={clsx(isOneself && 'max-sm:col-span-full')}
      />
      {!isOneself && (
        <div className="sm:text-right">
          <Button
            variant="secondary"
            size="small"
            busy={change.isPending}
            aria-label={`${activity} ${name}`}
            onClick={() =>
              person.is_active ? setQuestion(deactivationQuestion(person)) : change.mutate({ is_active: true })
            }
          >
            {activity}
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={question !== null}
        title={question?.title ?? ''}
        text={question?.text}
        confirmLabel={question?.confirmLabel ?? ''}
        danger
        onConfirm={handleConfirm}
        onClose={() => setQuestion(null)}
      />
      <Dialog
        open={isLeft}
        onClose={() => setIsLeft(false)}
        title="Replace What Is Left"
        description={`${name} made ${madeBy(person)}, and may still know it. Replace it now?`}
        actions={
          <>
            <Button variant="secondary" onClick={() => setIsLeft(false)}>
              Not now
            </Button>
            {(person.made_api_key ?? person.made_named_keys[0]) && (
              <Link {...paths.apiKeys} className={buttonClass('primary')}>
                Replace the API key
              </Link>
            )}
            {(person.made_webhook_url ?? person.made_webhook_secret) && (
              <Link {...paths.webhook} className={buttonClass('primary')}>
                Replace the webhook
              </Link>
            )}
          </>
        }
      />
    </li>
  )
}

function LastSeen({ at }: { at: string | null }) {
  if (at === null) return <p className="text-[0.8125rem] text-muted">Not seen yet</p>
  return (
    <p className="text-[0.8125rem] text-muted">
      Last seen:{' '}
      <time dateTime={at} title={formatDateTime(at)}>
        <RelativeTime at={at} />
      </time>
    </p>
  )
}

/** The API keys, the webhook URL and the signing secret that the person made. Undefined if there are none. */
function madeBy(person: TeamPerson): string | undefined {
  const { made_api_key, made_api_key_at, made_named_keys, made_webhook_url, made_webhook_secret } = person
  const made = [
    made_api_key && `the API key ${made_api_key}${made_api_key_at ? ` on ${formatDate(made_api_key_at)}` : ''}`,
    ...made_named_keys.map((key) => `the API key “${key}”`),
    made_webhook_url && `the webhook to ${new URL(made_webhook_url).host}`,
    made_webhook_secret && 'the webhook’s signing secret',
  ].filter(Boolean)
  return made.length > 0 ? made.join(' and ') : undefined
}

function deactivationQuestion(person: TeamPerson): Question {
  const name = personName(person)
  const made = madeBy(person)
  const left = made ? ` ${name} made ${made}, which keeps working until you replace it.` : ''
  return {
    title: 'Deactivate Person',
    text: `${name} will be signed out everywhere at once and unable to sign in. Everything ${name} submitted stays.${left}`,
    confirmLabel: 'Deactivate',
    change: { is_active: false },
  }
}

function ownRoleQuestion(role: Role): Question {
  return {
    title: 'Change Your Own Role',
    text: `You will be a ${ROLE_NAMES[role].toLowerCase()}, and only another owner can make you an owner again.`,
    confirmLabel: 'Change My Role',
    change: { role },
  }
}

function changedText(person: TeamPerson, { role, sees_money }: PersonChange): string {
  const name = personName(person)
  if (sees_money !== undefined) return `${name} ${sees_money ? 'sees' : 'no longer sees'} payments`
  if (role === undefined) return person.is_active ? `${name} can sign in again` : `${name} is deactivated`
  return `${name} is now ${role === 'owner' ? 'an' : 'a'} ${ROLE_NAMES[role].toLowerCase()}`
}
