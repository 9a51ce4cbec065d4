import type { Import } from '@portal/contract/imports.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { failureText } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'
import { BackLink, PageHeader } from '../../ui/page-header.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useWayBack } from '../../ui/way-back.ts'
import { CheckedImport } from './checked-import.tsx'
import { ChooseFile } from './choose-file.tsx'
import { importsQuery, isUnderWay, showImport } from './imports.queries.ts'
import { PastImports } from './past-imports.tsx'
import { SubmittedImport } from './submitted-import.tsx'

export function startImportPage({ queryClient }: PageStart) {
  startQuery(queryClient, importsQuery())
}

export function ImportPage() {
  const handleWayBack = useWayBack(paths.leads.to)
  return (
    <div className="max-w-5xl">
      <PageHeader
        title="Import Leads"
        description="Submit many leads at once from a spreadsheet. Every row is checked before anything is submitted."
        back={
          <BackLink {...paths.leads} onClick={handleWayBack}>
            Back to Leads
          </BackLink>
        }
      />
      <ImportContent />
    </div>
  )
}

function ImportContent() {
  const imports = useQuery(importsQuery())
  const queryClient = useQueryClient()
  // Null once the person wants to choose another file.
  const [chosenId, chooseId] = useState<string | null>()

  if (imports.isPending) return <Spinner label="Loading imports" />
  if (!imports.data) {
    return (
      <div className="panel">
        <Failure
          text="Failed to load imports"
          detail={failureText(imports.error)}
          onRetry={() => void imports.refetch()}
        />
      </div>
    )
  }

  const list = imports.data.imports
  const shown = chosenId === undefined ? list.find(isUnfinished) : list.find(({ id }) => id === chosenId)

  function handleChecked(checked: Import) {
    showImport(queryClient, checked)
    chooseId(checked.id)
  }

  return (
    <div className="grid grid-cols-1 gap-8">
      <Step key={`${shown?.id} ${shown?.state === 'checked'}`}>
        {!shown && <ChooseFile onChecked={handleChecked} />}
        {shown?.state === 'checked' && (
          <CheckedImport checked={shown} onSubmitted={() => chooseId(shown.id)} onDiscarded={() => chooseId(null)} />
        )}
        {shown && shown.state !== 'checked' && <SubmittedImport submitted={shown} onAnother={() => chooseId(null)} />}
      </Step>
      <PastImports
        imports={list.filter(({ id, state }) => state !== 'checked' && id !== shown?.id)}
        onShow={chooseId}
      />
    </div>
  )
}

/** When another step takes the place of the one that has the focus, the focus moves to what is around them. */
function Step({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  useFocusLeftBehind(ref)
  return (
    <div ref={ref} className="grid grid-cols-1 gap-8">
      {children}
    </div>
  )
}

function isUnfinished(one: Import): boolean {
  return one.is_own && (one.state === 'checked' || isUnderWay(one))
}
