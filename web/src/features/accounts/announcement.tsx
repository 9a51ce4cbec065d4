import { putAwayAnnouncement, type Announcement as Text } from '@portal/contract/announcement.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Megaphone, X } from 'lucide-react'
import { call } from '../../api/call.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { Button } from '../../ui/button.tsx'

import { toast } from '../../ui/toast.ts'
import { LendersText } from './lenders-text.tsx'

/** What the lender tells everybody, above each page until the person puts it away (D114). */
export function Announcement({ announcement: { id, text } }: { announcement: Text }) {
  const queryClient = useQueryClient()
  const { queryKey } = sessionQuery()
  const away = useMutation({
    mutationFn: () => call(putAwayAnnouncement, { body: { id } }),
    onSuccess: () =>
      queryClient.setQueryData(queryKey, (session) => (session ? { ...session, announcement: null } : session)),
    onError: toast.failure,
  })
  return (
    <section
      aria-label="From the lender"
      className="mb-5 flex items-start gap-2.5 rounded-lg bg-brand-tint px-3.5 py-2.5 text-brand-ink print:hidden"
    >
      <Megaphone aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        <LendersText text={text} headingLevel={2} />
      </div>
      <Button
        variant="ghost"
        size="icon"
        className="-my-1.5 -mr-2 text-current!"
        icon={<X aria-hidden />}
        aria-label="Put this announcement away"
        busy={away.isPending}
        onClick={() => away.mutate()}
      />
    </section>
  )
}
