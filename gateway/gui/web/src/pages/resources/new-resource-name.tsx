import { useQuery } from '@tanstack/react-query'
import { type ResourcePlace, resourcesQuery } from '../../api/resource-queries.ts'
import { texts } from '../../texts.ts'
import { TextInput } from '../../ui/text-input.tsx'
import { type GatewayName, useDraftPlaces } from './drafts.ts'

const names = texts.addResource
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LONGEST_NAME = 40
const LONGEST_NAMESPACE = 63

/** Returns the reason why no resource can be made at a place. */
export function useNameProblem(gateway: GatewayName, { kind, namespace, name }: ResourcePlace): string | undefined {
  const { data } = useQuery(resourcesQuery({ kind, text: name }))
  const drafts = useDraftPlaces(gateway, kind)
  if (name === '') return names.nameMissing
  if (!NAME.test(name) || name.length > LONGEST_NAME) return names.nameProblem
  const isSame = (one: { readonly namespace: string; readonly name: string }): boolean =>
    one.namespace === namespace && one.name === name
  if ((data?.resources ?? []).some(isSame)) return names.nameTaken
  return drafts.some(isSame) ? names.draftTaken : undefined
}

export function isNamespace(text: string): boolean {
  return LABEL.test(text) && text.length <= LONGEST_NAMESPACE
}

export type NewResourceNameProps = {
  readonly place: ResourcePlace
  readonly problem: string | undefined
  /** Unset if the kind lives in its gateway's namespace. */
  readonly onNamespace?: (namespace: string) => void
  readonly onName: (name: string) => void
}

/** Asks for the name and namespace of a new resource. */
export function NewResourceName({ place: { namespace, name }, problem, onNamespace, onName }: NewResourceNameProps) {
  const isShown = problem !== undefined && name !== ''
  return (
    <>
      <TextInput
        label={names.name}
        mono
        value={name}
        onChange={onName}
        verdict={isShown ? { state: 'invalid', reason: problem } : undefined}
      />
      {onNamespace === undefined ? null : (
        <TextInput
          label={names.namespace}
          hint={names.namespaceHint}
          mono
          value={namespace}
          onChange={onNamespace}
          verdict={isNamespace(namespace) ? undefined : { state: 'invalid', reason: names.namespaceProblem }}
        />
      )}
    </>
  )
}
