import { useState } from 'react'
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { ProcessorFields } from './processor-fields.tsx'
import type { Phase } from './rows.ts'

const NEW = { name: 'my_processor', service_bus_topic: 'llm.gl.custom.my_processor', timeout: 1_000, async: true }
const PHASES = [
  { id: 'request', name: texts.processors.phases.request },
  { id: 'response', name: texts.processors.phases.response },
] as const

export function AddProcessor({ onAdd }: { readonly onAdd: (phase: Phase, entry: object) => void }) {
  return (
    <DialogTrigger>
      <Button look="primary">{texts.processors.add}</Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal">
          <Dialog className="dialog">
            {({ close }) => (
              <Content
                onCancel={close}
                onAdd={(phase, entry) => {
                  close()
                  onAdd(phase, entry)
                }}
              />
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}

type ContentProps = { readonly onAdd: (phase: Phase, entry: object) => void; readonly onCancel: () => void }

function Content({ onAdd, onCancel }: ContentProps) {
  const [phase, setPhase] = useState<Phase>('request')
  const [entry, setEntry] = useState<object>(NEW)
  return (
    <>
      <Heading slot="title">{texts.processors.add}</Heading>
      <Choice label={texts.processors.phase} value={phase} options={PHASES} onChange={setPhase} />
      <ProcessorFields value={entry} onChange={setEntry} />
      <div className="buttons">
        <Button look="primary" onPress={() => onAdd(phase, entry)}>
          {texts.processors.addHere}
        </Button>
        <Button onPress={onCancel}>{texts.cancel}</Button>
      </div>
    </>
  )
}
