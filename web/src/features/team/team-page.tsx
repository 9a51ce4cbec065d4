import { PERSON_RIGHT_TEXTS } from '@portal/contract/person-rights.ts'
import { ROLE_NAMES, ROLE_TEXTS, ROLES } from '@portal/contract/roles.ts'
import type { readTeam } from '@portal/contract/team.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { UserRoundPlus } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { useSeesPayments } from '../../session/sees-payments.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Section } from '../../ui/card.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { PeopleList } from './people-list.tsx'
import { teamQuery } from './team.queries.ts'

export function startTeam({ queryClient }: PageStart) {
  startQuery(queryClient, teamQuery())
}

export function TeamPage() {
  const [isInviting, setIsInviting] = useState(false)
  const team = useQuery(teamQuery())
  return (
    <>
      <PageHeader
        title="Team"
        description="The people who sign in for your business, and what each of them may do."
        actions={
          <Button icon={<UserRoundPlus aria-hidden />} onClick={() => setIsInviting(true)}>
            Invite a Person
          </Button>
        }
      />
      <div className="stack items-start gap-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <Team team={team} />
        {/* On a phone it stands below a list of any length, and would move when the list comes. */}
        {!team.isPending && <Roles />}
      </div>
      <InviteDialog open={isInviting} onClose={() => setIsInviting(false)} />
    </>
  )
}

function Team({ team }: { team: UseQueryResult<Answer<typeof readTeam>> }) {
  if (team.isPending) {
    return (
      <Card title="People" padded={false}>
        <SkeletonRows rows={3} label="Loading the team" />
      </Card>
    )
  }
  if (!team.data) {
    return (
      <div className="panel">
        <LoadFailure text="Failed to load the team" query={team} />
      </div>
    )
  }
  const { people, invitations } = team.data
  return (
    <div className="stack">
      <PeopleList people={people} />
      {invitations.length > 0 && <InvitationList invitations={invitations} />}
    </div>
  )
}

function Roles() {
  const hasPayments = useSeesPayments()
  return (
    <Section title="Roles">
      <dl className="grid gap-4">
        {ROLES.map((role) => (
          <div key={role}>
            <dt className="font-medium">{ROLE_NAMES[role]}</dt>
            <dd className="text-muted">{ROLE_TEXTS[role]}</dd>
          </div>
        ))}
        {hasPayments && (
          <div>
            <dt className="font-medium">Sees payments</dt>
            <dd className="text-muted">{PERSON_RIGHT_TEXTS.money}</dd>
          </div>
        )}
      </dl>
    </Section>
  )
}
