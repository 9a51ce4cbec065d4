import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FIELD_GROUPS } from '@portal/contract/field-groups.ts'
import * as z from 'zod/mini'
import { pullDueDetails } from '../../crm/pull/details/pull-details.job.ts'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { startSync } from '../../crm/pull/run/start-sync.ts'
import { pushLead } from '../../crm/push/push-lead.job.ts'
import { pushNote } from '../../crm/push/push-note.job.ts'
import type { Deps } from '../../deps.ts'
import { findPersonByEmail } from '../../features/accounts/people.queries.ts'
import { tellNews } from '../../features/mails/tell-news.job.ts'
import { newId } from '../../platform/db/ids.ts'
import type { Job } from '../../platform/jobs/define-job.ts'
import { computeUsualTimes } from '../../records/histories/compute-usual-times.job.ts'
import { findWaitingLoids } from '../../records/kinds/pushed.queries.ts'
import { findNotesToPush } from '../../records/notes/notes.queries.ts'
import { BACKGROUND_JOBS } from '../background-jobs.ts'
import { perform, type Stage } from './acts.ts'
import { MIA, openCast } from './cast.ts'
import { openDemoLender } from './lender.ts'
import { Referrals } from './referrals.ts'
import { type Act, instantOf, STORY } from './story.ts'

/** A mail at once leaves two minutes after the news (fan-out-news.ts). */
const MAILS_AFTER_MS = 150_000

/**
 * Plays three weeks of a broker's and a lender's life (story.ts), unless this was done before (D138). Each act goes
 * the way that it takes in real use, with the clocks of the portal and of the sandbox set to its time: the portal's
 * rules and jobs, or a form of the sandbox's staff page and a pull. A file in DATA_DIR counts the acts that are done, so
 * a start that was cut off continues with the act that it was at.
 */
export async function seedDemo(deps: Deps): Promise<void> {
  const progress = await openProgress(deps)
  if (!progress) return
  const { log } = deps
  log.info('the demo’s three weeks are being played')
  const { level } = log
  // The story's mails and sign-ins would fill the terminal.
  log.level = 'warn'
  try {
    await playStory(deps, progress)
  } finally {
    log.level = level
  }
}

async function playStory(deps: Deps, progress: OpenProgress): Promise<void> {
  // Also gets the access token, while the sandbox's clock is right.
  const crmUrl = await deps.crm.apiDomain()
  await deps.crm.makeMissingFields(FIELD_GROUPS)
  await noteFieldGroups(deps)
  const stage = await setStage(deps, crmUrl)
  const now = new Date(progress.startedAt)
  for (const [index, act] of STORY.entries()) {
    if (index < progress.acts) continue
    const at = instantOf(act.when, now)
    const before = STORY[index - 1]
    if (before) await stage.tellNews(before, instantOf(before.when, now), at)
    if (index === progress.acts && index > 0) await stage.catchUp(at)
    await stage.play(act, at)
    await progress.keep(index + 1)
  }
  await stage.end()
  await progress.end()
}

/** Returns undefined if the demo is complete. */
async function openProgress({ db, config, clock }: Pick<Deps, 'db' | 'config' | 'clock'>) {
  const file = join(config.dataDir, 'demo.json')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept === undefined && (await findPersonByEmail(db, MIA.email))) return undefined
  const { startedAt, acts } = kept
    ? Progress.parse(JSON.parse(kept))
    : { startedAt: clock.now().toISOString(), acts: 0 }
  await keep(acts)

  async function keep(done: number): Promise<void> {
    await mkdir(config.dataDir, { recursive: true })
    await writeFile(`${file}.new`, JSON.stringify({ startedAt, acts: done }))
    await rename(`${file}.new`, file)
  }
  return { startedAt, acts, keep, end: () => rm(file) }
}

type OpenProgress = NonNullable<Awaited<ReturnType<typeof openProgress>>>

const Progress = z.object({ startedAt: z.string(), acts: z.number() })

/** Where the acts are played. It remembers the LOIDs of the referrals, by business. */
async function setStage(deps: Deps, crmUrl: string) {
  const referrals = new Referrals()
  await referrals.learn(deps)
  const lender = openDemoLender(crmUrl, referrals)
  const stage: Stage = { cast: openCast(), lender, referrals, invitationToken: '' }

  return { play, tellNews: tellNewsBetween, catchUp, end }

  async function play(act: Act, time: Date): Promise<void> {
    await lender.setClock(deps, time)
    const { acting, finish } = actAt(time)
    await perform(stage, acting, act)
    await finish()
    // The sandbox already has referrals of the partner, which come as soon as it is let in.
    if (act.does !== 'confirm' && act.does !== 'partner fields') return
    await runJob(time, pullDueDetails, {})
    await referrals.learn(deps)
  }

  /** The portal at a time in the past. Jobs do not wait for the queue: `finish` runs them, and those that they add. */
  function actAt(time: Date): { acting: Deps; finish: () => Promise<void> } {
    const began = performance.now()
    const waiting: { name: string; payload: object }[] = []
    const clock = { now: () => new Date(time.getTime() + Math.floor(performance.now() - began)) }
    const acting: Deps = {
      ...deps,
      clock,
      jobs: {
        ...deps.jobs,
        async enqueue(_tx, { name }, payload) {
          waiting.push({ name, payload })
        },
        async insertOf({ name }, payload) {
          waiting.push({ name, payload })
          return { sql: 'select', parameters: [] }
        },
      },
      mail: {
        ...deps.mail,
        send(mail) {
          for (const part of mail.parts) {
            if (part.part !== 'button') continue
            stage.invitationToken = /\/invite\?token=([\w-]+)/.exec(part.url)?.[1] ?? stage.invitationToken
          }
          return deps.mail.send({ id: newId(clock.now()), date: clock.now(), ...mail })
        },
      },
    }
    async function finish(): Promise<void> {
      for (const { name, payload } of waiting) {
        const job = BACKGROUND_JOBS.find((one) => one.name === name)
        await job?.run(acting, payload, new AbortController().signal, newId(clock.now()))
      }
    }
    return { acting, finish }
  }

  async function runJob(time: Date, job: Job, payload: object): Promise<void> {
    const { acting, finish } = actAt(time)
    await job.run(acting, payload, new AbortController().signal, newId(acting.clock.now()))
    await finish()
  }

  /** Between two acts, mails go out soon after what the lender did, and at eight on working days. */
  async function tellNewsBetween(before: Act, from: Date, to: Date): Promise<void> {
    const times = isLenders(before) ? [Math.min(from.getTime() + MAILS_AFTER_MS, to.getTime())] : []
    for (let day = 0; day < 15; day++) {
      const eight = instantOf({ day, time: '08:01' }, to)
      if (from < eight && eight < to) times.push(eight.getTime())
    }
    for (const time of times.toSorted((a, b) => a - b)) await runJob(new Date(time), tellNews, {})
  }

  /** Brings the portal to what the CRM and the portal's own rows say, after a start that was cut off. */
  async function catchUp(time: Date): Promise<void> {
    const mia = await findPersonByEmail(deps.db, MIA.email)
    if (!mia) return
    await lender.setClock(deps, time)
    const { acting, finish } = actAt(time)
    const { partner_id: partnerId } = mia
    for (const loid of await findWaitingLoids(deps.db, 'leads', partnerId))
      await acting.jobs.enqueue(deps.db, pushLead, { partnerId, loid })
    for (const noteId of await findNotesToPush(deps.db, partnerId))
      await acting.jobs.enqueue(deps.db, pushNote, { partnerId, noteId })
    await startSync(acting, partnerId, 'all')
    await finish()
    await referrals.learn(deps)
  }

  async function end(): Promise<void> {
    await lender.setClock(deps, undefined)
    const now = deps.clock.now()
    for (const job of [tellNews, pullDueDetails, computeUsualTimes]) await runJob(now, job, {})
  }
}

function isLenders({ does }: Act): boolean {
  return ['status', 'stage', 'fields', 'convert', 'lender note', 'ask', 'ask again', 'accept', 'attach'].includes(does)
}
