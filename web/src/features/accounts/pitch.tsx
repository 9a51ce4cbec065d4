/** One referral from beginning to end. */
const STORY = [
  { day: 'Nov 3', what: 'Submitted', more: 'by Mia Harbour, to the lender at once', mark: 'bg-[#8f9bff]' },
  { day: 'Nov 4', what: 'Pre Qualified', more: 'after the lender called the applicant', mark: 'bg-[#f3c063]' },
  {
    day: 'Nov 6',
    what: 'Your turn',
    more: 'Callum, the lender',
    quote: 'Could you send the last three bank statements?',
    mark: 'bg-[#f3c063]',
  },
  { day: 'Nov 6', what: 'Answered', more: 'by Mia Harbour, 20 minutes later', mark: 'bg-[#8f9bff]' },
  { day: 'Nov 10', what: 'Approved', more: '$62,000, Working Capital', mark: 'bg-[#5fd6a0]' },
  { day: 'Nov 12', what: 'Funded', more: 'The loan has been paid out', mark: 'bg-[#5fd6a0]' },
]

/** A decorative picture beside the form: what a partner sees of a referral. */
export function Pitch() {
  return (
    <>
      <p className="mx-auto w-full max-w-md text-balance text-[1.75rem]/9 font-semibold tracking-tight">
        Refer a loan. Follow it until it is funded.
      </p>
      <div className="mx-auto w-full max-w-md rounded-xl bg-white/6 p-6">
        <p className="flex items-center justify-between gap-4 text-[0.9375rem] font-semibold">
          Bayside Commercial Kitchens
          <span className="rounded-md bg-[#5fd6a0]/15 px-2 py-0.5 text-xs font-medium text-[#8be9bd]">Funded</span>
        </p>
        <ol className="mt-5 grid gap-4 border-l border-white/15 pl-5">
          {STORY.map(({ day, what, more, quote, mark }) => (
            <li key={what} className="relative">
              <span
                className={`absolute top-1.5 -left-[1.53125rem] size-2 rounded-full ring-4 ring-[color-mix(in_srgb,var(--panel),white_6%)] ${mark}`}
              />
              <p className="flex justify-between gap-4">
                <span className="font-medium">{what}</span>
                <span className="text-[0.8125rem] text-[#b9c0ea]">{day}</span>
              </p>
              <p className="text-[0.8125rem] text-[#b9c0ea]">{more}</p>
              {quote && <p className="mt-1.5 rounded-lg bg-white/8 px-3 py-2 text-[0.8125rem]">{quote}</p>}
            </li>
          ))}
        </ol>
      </div>
    </>
  )
}
