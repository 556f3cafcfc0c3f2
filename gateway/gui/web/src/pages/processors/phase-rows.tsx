import type { Check, Edit } from '@llm-gateway/gui-api'
import { Button as AriaButton } from 'react-aria-components/Button'
import { GridList, GridListItem } from 'react-aria-components/GridList'
import { useDragAndDrop } from 'react-aria-components/useDragAndDrop'
import { membersOf } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EditProcessor } from './edit-processor.tsx'
import { joinRows, moveRow, nameOf, type Phase, pathOf, type Row, removeMember, splitMember } from './rows.ts'

export type PhaseRowsProps = {
  readonly phase: Phase
  readonly rows: readonly Row[]
  readonly check: Check
  readonly onEdit: (edits: readonly Edit[]) => void
}

const names = texts.processors
const DRAG_TYPE = 'application/x-processor-row'

/**
 * Lists the rows of a phase, which run one after another. A row dragged between two rows moves; dragged onto a row it
 * joins that row.
 */
export function PhaseRows({ phase, rows, check, onEdit }: PhaseRowsProps) {
  const indexOf = (key: unknown): number => rows.findIndex((row) => row.key === key)
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ [DRAG_TYPE]: String(key), 'text/plain': String(key) })),
    acceptedDragTypes: [DRAG_TYPE],
    getDropOperation: () => 'move',
    onReorder: ({ keys, target }) => {
      const [from, at] = [indexOf([...keys][0]), indexOf(target.key)]
      const before = target.dropPosition === 'before' ? at : at + 1
      onEdit(moveRow({ phase, from, to: before > from ? before - 1 : before }))
    },
    onItemDrop: ({ items, target, isInternal }) => {
      if (!isInternal) return
      for (const item of items) {
        if (item.kind !== 'text') continue
        void item
          .getText(DRAG_TYPE)
          .then((key) => onEdit(joinRows(rows, { phase, from: indexOf(key), to: indexOf(target.key) })))
      }
    },
  })
  return (
    <GridList
      aria-label={names.phases[phase]}
      className="phase-rows"
      items={rows.map((row, index) => ({ ...row, id: row.key, index }))}
      dependencies={[rows, check]}
      dragAndDropHooks={dragAndDropHooks}
      keyboardNavigationBehavior="tab"
      renderEmptyState={() => <p className="soft">{names.empty}</p>}
    >
      {({ key, members, index }) => (
        <GridListItem id={key} textValue={key} className="phase-row">
          <AriaButton slot="drag" className="drag" aria-label={names.drag(key)}>
            <span aria-hidden="true">⠿</span>
          </AriaButton>
          <span className="soft number">{index + 1}</span>
          <div className="members">
            {members.map((member, at) => (
              <Member
                // biome-ignore lint/suspicious/noArrayIndexKey: a row may hold a name twice
                key={at}
                member={member}
                isParallel={members.length > 1}
                failed={check.fields.some(({ path }) => path[0] === phase && path[2] === index && path[3] === at)}
                onSplit={() => onEdit(splitMember(rows, phase, [index, at]))}
                onRemove={() => onEdit([removeMember(rows, phase, [index, at])])}
                onChange={(value) => onEdit([{ op: 'set', path: [...pathOf(phase), index, at], value }])}
              />
            ))}
          </div>
          <div className="buttons">
            <Button
              small
              look="quiet"
              icon
              aria-label={names.up(key)}
              isDisabled={index === 0}
              onPress={() => onEdit(moveRow({ phase, from: index, to: index - 1 }))}
            >
              ↑
            </Button>
            <Button
              small
              look="quiet"
              icon
              aria-label={names.down(key)}
              isDisabled={index === rows.length - 1}
              onPress={() => onEdit(moveRow({ phase, from: index, to: index + 1 }))}
            >
              ↓
            </Button>
            <Button
              small
              look="quiet"
              aria-label={names.joinName(key)}
              isDisabled={index === 0}
              onPress={() => onEdit(joinRows(rows, { phase, from: index, to: index - 1 }))}
            >
              {names.join}
            </Button>
          </div>
        </GridListItem>
      )}
    </GridList>
  )
}

type MemberProps = {
  readonly member: unknown
  readonly isParallel: boolean
  readonly failed: boolean
  readonly onSplit: () => void
  readonly onRemove: () => void
  readonly onChange: (value: unknown) => void
}

function Member({ member, isParallel, failed, onSplit, onRemove, onChange }: MemberProps) {
  const { async: isAsync, required } = membersOf(member)
  const name = nameOf(member)
  return (
    <span className="member">
      <strong>{name}</strong>
      <Badge>{isAsync === true ? names.async : names.sync}</Badge>
      {required === true ? <Badge tone="accent">{names.required}</Badge> : null}
      {failed ? <Badge tone="bad">{texts.states.invalid}</Badge> : null}
      <EditProcessor member={member} onChange={onChange} onRemove={onRemove} />
      {isParallel ? (
        <Button small look="quiet" aria-label={names.splitName(name)} onPress={onSplit}>
          {names.split}
        </Button>
      ) : null}
    </span>
  )
}
