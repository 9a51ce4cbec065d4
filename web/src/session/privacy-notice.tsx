import { readPrivacy } from '@portal/contract/accounts.ts'
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** Links to the lender's privacy notice, if this portal has one (D134). `whose` is whose data the page takes. */
export function PrivacyNotice({ whose, className }: { whose: string; className?: string }) {
  const { data } = useQuery({
    queryKey: ['privacy'],
    queryFn: ({ signal }) => call(readPrivacy, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!data?.url) return null
  return (
    <p className={className}>
      How {whose} data is handled:{' '}
      <a
        href={data.url}
        target="_blank"
        rel="noreferrer"
        className="rounded font-medium text-brand-ink underline-offset-4 hover:underline"
      >
        Privacy notice
      </a>
    </p>
  )
}
