import * as z from 'zod/mini'
import { defineJob } from '../../platform/jobs/define-job.ts'
import { composeMails } from './compose-mails.ts'
import { fanOutNews } from './fan-out-news.ts'
import { findPeopleWithDueNewsOfAllPartners } from './mails.queries.ts'

const PEOPLE_AT_A_TIME = 1_000

/** Every minute, decides who gets which news, and makes the mails that are due. Another job sends the mails. */
export const tellNews = defineJob({
  name: 'tell-news',
  payload: z.object({}),
  schedule: '* * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 5, delaySecondsMax: 60, giveUpAfterDays: 1 },
  async run(deps, _payload, signal) {
    while (await fanOutNews(deps)) signal.throwIfAborted()
    let after: string | undefined
    do {
      const people = await findPeopleWithDueNewsOfAllPartners(
        deps.db,
        deps.clock.now().toISOString(),
        after,
        PEOPLE_AT_A_TIME,
      )
      for (const personId of people) {
        signal.throwIfAborted()
        await composeMails(deps, personId).catch((error: unknown) => {
          // Other people still get their mails. The next run tries this person's mails again.
          deps.log.error({ err: error, person: personId }, 'a person’s mails were not made')
        })
      }
      after = people.at(-1)
    } while (after !== undefined)
  },
})
