import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { schemaQuery } from '../../api/queries.ts'
import { EntryJson } from '../../editor/entry-json.tsx'
import { partOfSchema } from '../../editor/part-of-schema.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { ProcessorFields } from './processor-fields.tsx'
import { nameOf } from './rows.ts'

export type EditProcessorProps = {
  readonly member: unknown
  readonly onChange: (value: unknown) => void
  readonly onRemove: () => void
}

/** Edits a processor's entry with fields and as JSON. */
export function EditProcessor({ member, onChange, onRemove }: EditProcessorProps) {
  const name = nameOf(member)
  return (
    <DialogTrigger>
      <Button small look="quiet" aria-label={texts.processors.editName(name)}>
        {texts.processors.edit}
      </Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal">
          <Dialog className="dialog">
            {({ close }) => (
              <Content
                member={member}
                onSave={(value) => {
                  close()
                  onChange(value)
                }}
                onRemove={() => {
                  close()
                  onRemove()
                }}
                onCancel={close}
              />
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}

type ContentProps = {
  readonly member: unknown
  readonly onSave: (value: unknown) => void
  readonly onRemove: () => void
  readonly onCancel: () => void
}

function Content({ member, onSave, onRemove, onCancel }: ContentProps) {
  const [value, setValue] = useState(member)
  const [json, setJson] = useState(false)
  const { data: schema } = useQuery(schemaQuery('gl_config.json'))
  const part = partOfSchema(schema, ['properties', 'request', 'properties', 'processors', 'items', 'items'])
  return (
    <>
      <Heading slot="title">{texts.processors.editName(nameOf(member))}</Heading>
      <ProcessorFields value={value} onChange={setValue} />
      {json ? (
        <EntryJson label={texts.processors.allFields} value={value} schema={part} onChange={setValue} />
      ) : (
        <div>
          <Button small onPress={() => setJson(true)}>
            {texts.processors.allFields}
          </Button>
        </div>
      )}
      <div className="buttons">
        <Button look="primary" onPress={() => onSave(value)}>
          {texts.processors.keep}
        </Button>
        <Button onPress={onCancel}>{texts.cancel}</Button>
        <Button look="danger" onPress={onRemove}>
          {texts.processors.remove}
        </Button>
      </div>
    </>
  )
}
