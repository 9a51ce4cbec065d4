import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import * as z from 'zod'

interface Test {
  name: string
  ms: number
  /** Why the first try failed, if the test passed on the second. */
  firstFailure: string | undefined
}

const VitestFile = z.object({
  /** The file's path. */
  name: z.string(),
  status: z.string(),
  assertionResults: z.array(
    z.object({
      fullName: z.string(),
      status: z.string(),
      duration: z.number().nullish(),
      failureMessages: z.array(z.string()),
    }),
  ),
})
const VitestReport = z.object({ testResults: z.array(VitestFile) })

const Tries = z.object({
  status: z.string(),
  results: z.array(z.object({ duration: z.number(), error: z.object({ message: z.string() }).partial().optional() })),
})
const Suite = z.object({
  specs: z.array(z.object({ title: z.string(), tests: z.array(Tries) })).default([]),
  get suites() {
    return z.array(Suite).default([])
  },
})
const PlaywrightReport = z.object({
  stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }),
  suites: z.array(Suite),
})

/**
 * Reads what Vitest, in its first and second try, and Playwright report of a run. A runner without a report has run no
 * tests. What the second try reports of a file stands for what the first reported.
 */
export function readReports(vitestFiles: readonly string[], playwrightFile: string) {
  const [first = [], second = []] = vitestFiles.map(readVitestReport)
  const files = [...first.filter(({ name }) => second.every((again) => again.name !== name)), ...second]
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const playwright = PlaywrightReport.optional().parse(readReport(playwrightFile))
  const { expected, flaky, unexpected } = playwright?.stats ?? { expected: 0, flaky: 0, unexpected: 0 }
  return {
    passed: statuses.filter((status) => status === 'passed').length + expected + flaky,
    failed: statuses.filter((status) => status === 'failed').length + unexpected,
    tests: [...files.flatMap((file) => testsOf(file, first)), ...(playwright?.suites.flatMap(journeysOf) ?? [])],
  }
}

/** The paths of the files in which a test, or what prepares the tests, failed. */
export function findFailedFiles(vitestFile: string): string[] {
  return readVitestReport(vitestFile).flatMap(({ name, status }) => (status === 'failed' ? [name] : []))
}

function readVitestReport(file: string): z.infer<typeof VitestFile>[] {
  return VitestReport.optional().parse(readReport(file))?.testResults ?? []
}

function testsOf({ name, assertionResults }: z.infer<typeof VitestFile>, first: z.infer<typeof VitestFile>[]): Test[] {
  const before = first.find((file) => file.name === name)?.assertionResults ?? []
  return assertionResults.map(({ fullName, duration, status }) => {
    const failed = before.find((one) => one.fullName === fullName && one.status === 'failed')
    return {
      name: fullName,
      ms: duration ?? 0,
      firstFailure: status === 'passed' && failed ? firstLine(failed.failureMessages[0] ?? '') : undefined,
    }
  })
}

/** A spec runs once for each project, so its time is the sum of all its runs. */
function journeysOf({ specs, suites }: z.infer<typeof Suite>): Test[] {
  const own = specs.map(({ title, tests }) => {
    const late = tests.find(({ status }) => status === 'flaky')
    return {
      name: title,
      ms: tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0),
      firstFailure: late && firstLine(late.results[0]?.error?.message ?? 'no reason is known'),
    }
  })
  return [...own, ...suites.flatMap(journeysOf)]
}

function firstLine(text: string): string | undefined {
  return stripVTControlCharacters(text).split('\n')[0]
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
