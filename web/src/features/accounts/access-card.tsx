import { ACCESS_KIND_NAMES, type AccessItem, type AccessKind, RECENT_ACCESS_DAYS } from '@portal/contract/access.ts'
import { endNamedKey, revokeApiKey } from '@portal/contract/api-keys.ts'
import { removePasskey, removeTotp } from '@portal/contract/second-factor.ts'
import { endOtherSessions, endSession } from '@portal/contract/sessions.ts'
import { changePerson, revokeInvitation } from '@portal/contract/team.ts'
import { changeWebhookUrl } from '@portal/contract/webhooks.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fingerprint, KeyRound, Mail, Monitor, Smartphone, UserRound, Webhook } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { RestingRows } from '../../ui/resting-rows.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.ts'
import { AccessDetail, AccessName } from './access-item.tsx'
import { accessQuery } from './accounts.queries.ts'
import { ProofDialog } from './second-factor/confirm-dialog.tsx'
import { removeOthers } from './second-factor/second-factor.queries.ts'

const ICONS: Record<AccessKind, ReactNode> = {
  session: <Monitor aria-hidden />,
  passkey: <Fingerprint aria-hidden />,
  app: <Smartphone aria-hidden />,
  'api-key': <KeyRound aria-hidden />,
  webhook: <Webhook aria-hidden />,
  person: <UserRound aria-hidden />,
  invitation: <Mail aria-hidden />,
}

type Question = AccessItem | 'other-sessions'

/** Everything that can get into the account, each with Remove (D130). */
export function AccessCard() {
  const queryClient = useQueryClient()
  const listRef = useRef<HTMLUListElement>(null)
  const access = useQuery(accessQuery())
  const [question, setQuestion] = useState<Question | null>(null)
  const [isProving, setIsProving] = useState(false)
  // A removal can change the second factor, the key, the webhook and the team, which other pages show.
  const refresh = () => queryClient.invalidateQueries()

  const removal = useMutation({
    mutationFn: (item: Question): Promise<unknown> =>
      item === 'other-sessions' ? call(endOtherSessions) : remove(item),
    onSuccess(_, item) {
      toast.success(item === 'other-sessions' ? 'All other sessions ended' : `${ACCESS_KIND_NAMES[item.kind]} removed`)
      // The pressed button disappears, so the list takes focus.
      listRef.current?.focus()
    },
    onSettled: refresh,
  })
  const items = access.data?.items ?? []
  const hasOtherSessions = items.filter(({ kind }) => kind === 'session').length > 1

  function handleConfirm() {
    setQuestion(null)
    if (question) removal.mutate(question)
  }

  function handleProven() {
    setIsProving(false)
    toast.success('Everything but this device was removed')
    void refresh()
  }

  return (
    <Card
      title="Everything that can get in"
      description={`What came in the last ${RECENT_ACCESS_DAYS} days is marked. Remove what you do not know.`}
    >
      {access.isPending && <Spinner label="Loading what can get in" />}
      {access.isError && !access.data && <LoadFailure text="Failed to load what can get in" query={access} />}
      {removal.isError && (
        <Alert kind="error" className="mb-4">
          {failureText(removal.error)}
        </Alert>
      )}
      {access.data && (
        <>
          <RestingRows
            ref={listRef}
            label="Everything that can get in"
            className="divide-y divide-line"
            rows={items}
            isAsking={removal.isPending}
          >
            {(item) => (
              <AccessRow
                key={item.id}
                item={item}
                isBusy={removal.isPending && removal.variables === item}
                onRemove={() => setQuestion(item)}
              />
            )}
          </RestingRows>
          <div className="mt-2 flex flex-wrap justify-end gap-2 border-t border-line pt-5">
            {hasOtherSessions && (
              <Button
                variant="secondary"
                busy={removal.isPending && removal.variables === 'other-sessions'}
                onClick={() => setQuestion('other-sessions')}
              >
                Sign out all others
              </Button>
            )}
            <Button variant="danger" onClick={() => setIsProving(true)}>
              Remove all but this device
            </Button>
          </div>
        </>
      )}
      <ConfirmDialog
        open={question !== null}
        {...wordsOf(question)}
        danger
        onConfirm={handleConfirm}
        onClose={() => setQuestion(null)}
      />
      {isProving && (
        <ProofDialog
          title="Remove all but this device"
          description="Your other sessions end. Every passkey and app stops working, except the one with which you confirm now. API keys, the webhook and people stay."
          confirmLabel="Remove"
          send={removeOthers}
          onDone={handleProven}
          onCancel={() => setIsProving(false)}
        />
      )}
    </Card>
  )
}

interface AccessRowProps {
  item: AccessItem
  isBusy: boolean
  onRemove: () => void
}

function AccessRow({ item, isBusy, onRemove }: AccessRowProps) {
  return (
    <li className="flex items-center gap-x-3 py-3 [&>svg]:size-4.5 [&>svg]:flex-none [&>svg]:text-muted">
      {ICONS[item.kind]}
      <div className="min-w-0 grow">
        <AccessName item={item} />
        <p className="text-[0.8125rem] break-words text-muted">
          <AccessDetail item={item} />
        </p>
      </div>
      {!item.is_this_one && (
        <Button variant="secondary" size="small" aria-label={`Remove ${nameOf(item)}`} busy={isBusy} onClick={onRemove}>
          Remove
        </Button>
      )}
    </li>
  )
}

function nameOf({ kind, name }: AccessItem): string {
  return kind === 'app'
    ? 'the authenticator app'
    : `${ACCESS_KIND_NAMES[kind].replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())} ${name}`
}

const WHAT_HAPPENS: Record<AccessKind, string> = {
  session: 'It is signed out at once.',
  passkey: 'It no longer signs you in. Your other sessions end.',
  app: 'Its codes no longer sign you in. Your other sessions end.',
  'api-key': 'Systems that use it are refused at once.',
  webhook: 'Your system no longer gets notifications of changes.',
  person: 'The person is signed out everywhere at once and unable to sign in. What the person submitted stays.',
  invitation: 'The link that was sent stops working at once.',
}

function wordsOf(question: Question | null) {
  if (question === null) return { title: '', text: '', confirmLabel: '' }
  if (question === 'other-sessions') {
    return {
      title: 'Sign out all others',
      text: 'Every session but this one ends at once.',
      confirmLabel: 'Sign out all others',
    }
  }
  return {
    title: `Remove ${nameOf(question)}`,
    text: WHAT_HAPPENS[question.kind],
    confirmLabel: 'Remove',
  }
}

function remove({ kind, id }: AccessItem): Promise<unknown> {
  const calls: Record<AccessKind, () => Promise<unknown>> = {
    session: () => call(endSession, { params: { id } }),
    passkey: () => call(removePasskey, { params: { id } }),
    app: () => call(removeTotp),
    'api-key': () => (id === 'api-key' ? call(revokeApiKey) : call(endNamedKey, { params: { id } })),
    webhook: () => call(changeWebhookUrl, { body: { webhook_url: null } }),
    person: () => call(changePerson, { params: { id }, body: { is_active: false } }),
    invitation: () => call(revokeInvitation, { params: { id } }),
  }
  return calls[kind]()
}
