import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { missingPrograms, programsFolder } from '../../tools/cluster/ensure-programs.ts'
import { execute } from '../../tools/cluster/execute.ts'
import { ROOT } from './chart-scene.ts'
import { matrixCases, template, valuesFile } from './matrix.ts'

const missing = missingPrograms(ROOT, ['helm', 'kube-score'])
const skip = process.env.CI !== 'true' && missing.length > 0 ? `${missing.join(', ')} not built` : false
/** kube-score's grade for a passed check. */
const FINE = 10

type Exception = {
  /** kube-score's name of the check. */
  readonly check: string
  /** Matches kube-score's name of the object, `Deployment/apps/v1/NAMESPACE/NAME`. */
  readonly of: RegExp
  readonly reason: string
}

/** Accepted deviations from kube-score. Each is needed by a case of the matrix. */
const EXCEPTIONS: readonly Exception[] = [
  {
    check: 'container-resources',
    of: /^(Deployment|Job|Pod)\//,
    reason: 'CPU limits slow a program down on an idle node; everything has requests, and a limit of memory',
  },
  {
    check: 'container-ephemeral-storage-request-and-limit',
    of: /^(Deployment|Job|Pod)\//,
    reason: 'the root is read-only, and the kubelet bounds logs: a limit would evict a pod that logs much',
  },
  {
    check: 'container-image-pull-policy',
    of: /^(Deployment|Job|Pod)\//,
    reason: 'people load their own images into nodes; image.pullPolicy changes the policy',
  },
  {
    check: 'pod-networkpolicy',
    of: /^(Job|Pod)\//,
    reason: 'nothing in them listens, and a chart can’t know the address of the API server',
  },
  {
    check: 'pod-networkpolicy',
    of: /^Deployment\//,
    reason: 'its policy limits incoming connections only: a chart can’t know the address of the API server',
  },
  {
    check: 'deployment-has-host-podantiaffinity',
    of: /^Deployment\//,
    reason: 'topologySpreadConstraints spread the operators; the demo has one pod',
  },
  {
    check: 'ingress-targets-service',
    of: /^Ingress\//,
    reason: 'the operator makes the Service of an LLMGateway',
  },
  {
    check: 'horizontalpodautoscaler-has-target',
    of: /^HorizontalPodAutoscaler\//,
    reason: 'its target is an LLMGateway, which kube-score doesn’t know',
  },
  {
    check: 'deployment-replicas',
    of: /-demo-llm$/,
    reason: 'no caller depends on the demo',
  },
  {
    check: 'deployment-has-poddisruptionbudget',
    of: /-operator$/,
    reason: 'the values of the case no-crds switch the budget off',
  },
]

type Scored = {
  readonly object_name: string
  readonly checks: readonly {
    readonly check: { readonly id: string }
    readonly grade: number
    readonly skipped: boolean
    readonly comments: readonly { readonly path: string; readonly summary: string }[] | null
  }[]
}
type Finding = { readonly object: string; readonly check: string; readonly text: string }

describe('kube-score of the objects that helm renders', { skip }, () => {
  const used = new Set<Exception>()
  for (const name of matrixCases()) {
    test(`values ${name}: kube-score has no finding without a documented exception`, async () => {
      const { stdout: manifests } = await template(['-f', valuesFile(name)])
      const found = await findings(manifests)
      const left = found.filter(({ check, object }) => {
        const exception = EXCEPTIONS.find((candidate) => candidate.check === check && candidate.of.test(object))
        if (exception !== undefined) used.add(exception)
        return exception === undefined
      })
      assert.deepEqual(left, [])
    })
  }

  test('each documented exception is needed', () => {
    assert.deepEqual(
      EXCEPTIONS.filter((exception) => !used.has(exception)),
      [],
    )
  })
})

async function findings(manifests: string): Promise<readonly Finding[]> {
  const argv = [join(programsFolder(ROOT), 'kube-score'), 'score', '--output-format', 'json', '-']
  const { stdout, stderr } = await execute(argv, { input: manifests, environment: {} })
  const objects: readonly Scored[] = JSON.parse(stdout)
  assert.ok(objects.length > 0, stderr)
  return objects.flatMap(({ object_name: object, checks }) =>
    checks
      .filter(({ grade, skipped }) => !skipped && grade < FINE)
      .map(({ check, comments }) => ({
        object,
        check: check.id,
        text: (comments ?? []).map(({ path, summary }) => `${path} ${summary}`).join(', '),
      })),
  )
}
