import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Workplace } from './workplace.ts'

export interface Command {
  /** The name as the operator types it: `partner activate`. */
  name: string
  /** The parameters after the name: `<email or id>`. */
  parameters: string
  summary: string
  options?: ParseArgsOptionsConfig
  /** Runs the command and returns the exit code, or nothing for 0. */
  run(given: Given, workplace: Workplace): Promise<number | void>
}

export interface Given {
  positionals: string[]
  values: Record<string, unknown>
}

/** The command line is malformed. The message is one line, and the exit code is 2. */
export class UsageError extends Error {}

/**
 * The command cannot be carried out, for example because the partner does not exist or the CRM is away. The message is
 * one line for the operator.
 */
export class CommandFailed extends Error {}

export function usageOf({ name, parameters }: Command): string {
  return ['npm run portal --', name, parameters].filter(Boolean).join(' ')
}

/** Parses the words after the command's name. */
export function readGiven(command: Command, words: string[]): Given {
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const
    const { positionals, values } = parseArgs({ args: words, options, allowPositionals: true })
    return { positionals, values }
  } catch (error) {
    // The rest of parseArgs's message explains at length what else the word could mean.
    const [reason = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(`${reason}; usage: ${usageOf(command)}`, { cause: error })
  }
}

/** Returns the one word that the command needs after its name. Throws if there is no word or more than one. */
export function onlyPositional(command: Command, { positionals }: Given): string {
  const [word, ...more] = positionals
  if (word === undefined || more.length > 0) throw new UsageError(`usage: ${usageOf(command)}`)
  return word
}

export function noPositional(command: Command, { positionals }: Given): void {
  if (positionals.length > 0) throw new UsageError(`usage: ${usageOf(command)}`)
}

/** Formats rows as lines with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  }
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** An instant in UTC to the minute, as people read it. */
export function minute(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ')
}

export function yesNo(is: boolean): string {
  return is ? 'yes' : 'no'
}

/** Writes a person's data to a file that only the operator can read. Rejects if the file exists. */
export async function writeNewFile(file: string, data: object): Promise<void> {
  await writeFile(path.resolve(file), `${JSON.stringify(data, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
}

/** Throws unless the operator agrees, on a terminal, to erase what was shown. */
export async function confirmErasure(): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CommandFailed('Nothing was erased: add --yes, because there is no terminal to ask on')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asking.question('\nThis cannot be undone. Type erase to continue: ')
  asking.close()
  if (answer.trim() !== 'erase') throw new CommandFailed('Nothing was erased')
}
