import { DOCUMENT_TYPES_OFFERED } from '@portal/contract/documents.ts'
import { type ReactNode, useRef } from 'react'
import { Button, type ButtonProps } from '../../ui/button.tsx'

interface ChooseFilesProps extends Pick<ButtonProps, 'className' | 'variant' | 'aria-label'> {
  icon: ReactNode
  /** Opens the phone's camera instead of the list of files. */
  camera?: boolean
  onChoose: (files: readonly File[]) => void
  children: ReactNode
}

/** A button that opens the browser's or the phone's own choice of files. */
export function ChooseFiles({ camera = false, onChoose, variant = 'secondary', children, ...rest }: ChooseFilesProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={!camera}
        accept={camera ? 'image/*' : DOCUMENT_TYPES_OFFERED}
        {...(camera && { capture: 'environment' })}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          // The same file can be chosen again.
          currentTarget.value = ''
          if (files.length > 0) onChoose(files)
        }}
      />
      <Button variant={variant} size="small" onClick={() => input.current?.click()} {...rest}>
        {children}
      </Button>
    </>
  )
}
