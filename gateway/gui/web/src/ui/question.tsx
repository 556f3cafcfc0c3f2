import type { ReactNode } from 'react'
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { texts } from '../texts.ts'
import { Button } from './button.tsx'

export type QuestionProps = {
  /** The button that opens the dialog. */
  readonly trigger: ReactNode
  readonly title: string
  readonly children: ReactNode
  readonly confirm: {
    readonly label: string
    readonly danger?: boolean
    readonly isDisabled?: boolean
    readonly onPress: () => void
  }
}

/** Asks before an action that can't be undone with one click. */
export function Question({ trigger, title, children, confirm }: QuestionProps) {
  return (
    <DialogTrigger>
      {trigger}
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal">
          <Dialog className="dialog" role="alertdialog">
            {({ close }) => (
              <>
                <Heading slot="title">{title}</Heading>
                <div className="stack tight">{children}</div>
                <div className="buttons">
                  <Button
                    look={confirm.danger === true ? 'danger' : 'primary'}
                    isDisabled={confirm.isDisabled === true}
                    onPress={() => {
                      close()
                      confirm.onPress()
                    }}
                  >
                    {confirm.label}
                  </Button>
                  <Button onPress={close}>{texts.cancel}</Button>
                </div>
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}
