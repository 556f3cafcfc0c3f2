import type { Edition, Login } from '@llm-gateway/gui-api'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { filesQuery, sessionQuery } from '../api/queries.ts'
import { request, setCsrfToken } from '../api/request.ts'
import { savePending } from '../api/use-file.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { Notice } from '../ui/notice.tsx'
import { TextInput } from '../ui/text-input.tsx'

/** The state of the login. Without GUI_SECRET the page shows an instruction in place of the form. */
export type LoginPageProps = { readonly login: Login; readonly edition: Edition }

export function LoginPage({ login, edition }: LoginPageProps) {
  useEffect(() => {
    document.title = `${texts.login.title} · ${texts.product}`
  }, [])
  return (
    <main className="login">
      <div className="row">
        <img src="/icon.svg" alt="" width="36" height="36" />
        <h1>{texts.product}</h1>
      </div>
      {login.reason === 'secret_unset' ? <NoSecret edition={edition} /> : <LoginForm login={login} edition={edition} />}
      <p className="soft">{texts.login.about}</p>
    </main>
  )
}

function NoSecret({ edition }: { readonly edition: Edition }) {
  const unset = texts.login.unset[edition]
  return (
    <Notice tone="warn" title={texts.login.unsetTitle}>
      <div className="stack tight">
        <p>{unset.why}</p>
        <p>{unset.todo}</p>
        <pre className="payload">{unset.command}</pre>
      </div>
    </Notice>
  )
}

function LoginForm({ login, edition }: LoginPageProps) {
  const client = useQueryClient()
  const [secret, setSecret] = useState('')
  const [name, setName] = useState('')
  // Loaded files prove that there was a session since the page was loaded.
  const hasEnded = client.getQueriesData({ queryKey: filesQuery.queryKey }).length > 0
  const attempt = useMutation({
    mutationFn: () => request('login', { body: { secret, name } }),
    onSuccess: (session) => {
      if (session.logged_in) setCsrfToken(session.csrf_token)
      client.setQueryData(sessionQuery.queryKey, session)
      savePending(client)
    },
    onError: () => setSecret(''),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!attempt.isPending) attempt.mutate()
  }
  return (
    <form className="card stack" onSubmit={submit}>
      {hasEnded ? <Notice tone="accent" title={texts.login.ended} /> : null}
      {login.reason === 'locked' && attempt.error === null ? (
        <Notice tone="warn" title={login.message ?? texts.login.locked} />
      ) : null}
      <TextInput
        label={texts.login.secret}
        hint={texts.login.secretHint[edition]}
        type="password"
        autoComplete="current-password"
        value={secret}
        onChange={setSecret}
        isRequired
        autoFocus
      />
      {edition === 'standalone' ? null : <pre className="payload">{texts.login.secretCommand}</pre>}
      <TextInput
        label={texts.login.name}
        hint={texts.login.nameHint[edition]}
        autoComplete="name"
        value={name}
        onChange={setName}
      />
      {attempt.error === null ? null : <Failure error={attempt.error} />}
      <Button type="submit" look="primary" isDisabled={attempt.isPending}>
        {texts.login.submit}
      </Button>
    </form>
  )
}
