import { clsx } from 'clsx'
import { Fragment } from 'react'

/** The name of a header or field, which fits into a line of a phone. */
const SHORT = 25

/** Text in which words between backticks are shown as code. */
export function Marked({ text }: { text: string }) {
  return (
    <>
      {text.split('`').map((piece, position) =>
        // The pieces of a text have no identity except their position.
        position % 2 === 0 ? (
          <Fragment key={position}>{piece}</Fragment>
        ) : (
          <code
            key={position}
            className={clsx(
              'rounded bg-hover px-1 py-px font-mono text-[0.9em]',
              piece.length < SHORT && 'text-nowrap',
            )}
          >
            {piece}
          </code>
        ),
      )}
    </>
  )
}
