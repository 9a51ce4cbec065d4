import type { Import } from '@portal/contract/imports.ts'
import { IMPORT_BYTES_MAX, IMPORT_ROWS_MAX } from '@portal/contract/limits.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Download, FileUp } from 'lucide-react'
import { type DragEvent, useRef, useState } from 'react'
import { failureText } from '../../api/failure.ts'
import { FailureAlert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { checkFile, saveTemplate } from './imports.queries.ts'

const TOO_LARGE = `The file is larger than ${IMPORT_BYTES_MAX / 1024 / 1024} MB.`

/** Takes a file by button or by dropping it, and has it checked. */
export function ChooseFile({ onChecked }: { onChecked: (checked: Import) => void }) {
  const inputRef = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const check = useMutation({
    mutationFn: (file: File) => (file.size > IMPORT_BYTES_MAX ? Promise.reject(new Error(TOO_LARGE)) : checkFile(file)),
    onSuccess: onChecked,
  })

  function handleFile(file: File | undefined) {
    if (file && !check.isPending) check.mutate(file)
    // The same file can be chosen again after it was changed.
    if (inputRef.current) inputRef.current.value = ''
  }

  function handleDrag(event: DragEvent, isInside: boolean) {
    event.preventDefault()
    setOver(isInside)
  }

  return (
    <section aria-label="Choose a file" className="grid grid-cols-1 gap-4">
      {check.isError && (
        <FailureAlert
          text="The file could not be checked"
          detail={check.error.message === TOO_LARGE ? TOO_LARGE : failureText(check.error)}
        />
      )}
      <div
        onDragOver={(event) => handleDrag(event, true)}
        onDragLeave={(event) => handleDrag(event, false)}
        onDrop={(event) => {
          handleDrag(event, false)
          handleFile(event.dataTransfer.files[0])
        }}
        className={clsx(
          'panel flex flex-col items-center gap-4 border-dashed px-5 py-10 text-center',
          isOver && 'border-brand bg-brand-tint',
        )}
      >
        <input
          ref={inputRef}
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          aria-label="CSV file"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => handleFile(event.target.files?.[0])}
        />
        <p className="max-w-md text-balance text-muted">
          A CSV file with a heading and up to {formatNumber(IMPORT_ROWS_MAX)} rows, one lead in each. An export of the
          leads list works as it is.
        </p>
        <div className="flex flex-wrap justify-center gap-2">
          <Button busy={check.isPending} icon={<FileUp aria-hidden />} onClick={() => inputRef.current?.click()}>
            {check.isPending ? 'Checking the file' : 'Choose File'}
          </Button>
          <Button variant="secondary" icon={<Download aria-hidden />} onClick={() => void saveTemplate()}>
            Template
          </Button>
        </div>
        <p className="text-[0.8125rem] text-muted max-sm:hidden">or drop the file here</p>
      </div>
    </section>
  )
}
