import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import * as z from 'zod'

interface Test {
  name: string
  ms: number
  /** Why the first try failed, if the test passed on the second. */
  firstFailure: string | undefined
}

const VitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          duration: z.number().nullish(),
          failureMessages: z.array(z.string()),
        }),
      ),
    }),
  ),
})

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

/** Reads what Vitest and Playwright report of a run. A runner without a report has run no tests. */
export function readReports(vitestFile: string, playwrightFile: string) {
  const vitest = VitestReport.optional().parse(readReport(vitestFile))
  const playwright = PlaywrightReport.optional().parse(readReport(playwrightFile))
  const { expected, flaky, unexpected } = playwright?.stats ?? { expected: 0, flaky: 0, unexpected: 0 }
  return {
    passed: (vitest?.numPassedTests ?? 0) + expected + flaky,
    failed: (vitest?.numFailedTests ?? 0) + unexpected,
    tests: [...(vitest ? testsOf(vitest) : []), ...(playwright?.suites.flatMap(journeysOf) ?? [])],
  }
}

function testsOf({ testResults }: z.infer<typeof VitestReport>): Test[] {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  return results.map(({ fullName, duration, status, failureMessages: [failure] }) => ({
    name: fullName,
    ms: duration ?? 0,
    firstFailure: status === 'passed' && failure ? firstLine(failure) : undefined,
  }))
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
