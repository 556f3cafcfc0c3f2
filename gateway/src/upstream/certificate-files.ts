import { X509Certificate } from 'node:crypto'
import { AUTHORITIES_LIMIT, excessAuthorities, type Logger } from '@llm-gateway/conf'
import { type CertificateTexts, followCertificates } from '../follow-certificates.ts'
import { codeOf, readSettingFile, SettingFileError } from '../setting-file.ts'

/**
 * Starts following the certificates of tls.outbound.cert_files. Rejects where the first files are unreadable, or larger
 * together than one step of the main thread reads.
 */
export async function startCertificateFiles(files: readonly string[], logger: Logger): Promise<CertificateTexts> {
  const read = async (): Promise<readonly string[]> => {
    const texts = await Promise.all(files.map((file, index) => readSettingFile(fieldOf(index), file)))
    checkSize(texts, files)
    return texts
  }
  const check = (texts: readonly string[]): void => {
    for (const [index, text] of texts.entries()) checkCertificate(text, fieldOf(index), files[index] ?? '')
  }
  if (files.length === 0) return { current: [], close: () => undefined }
  return await followCertificates(read, check, logger)
}

function checkSize(texts: readonly string[], files: readonly string[]): void {
  const [index] = excessAuthorities(texts)
  if (index === undefined) return
  const limit = { most_bytes: AUTHORITIES_LIMIT.bytes, most_certificates: AUTHORITIES_LIMIT.certificates }
  throw new SettingFileError('CERTIFICATES_TOO_LARGE', fieldOf(index), files[index] ?? '', limit)
}

function checkCertificate(text: string, field: string, file: string): void {
  try {
    new X509Certificate(text)
  } catch (error) {
    throw new SettingFileError(codeOf(error) ?? 'INVALID', field, file)
  }
}

function fieldOf(index: number): string {
  return `tls.outbound.cert_files[${index}]`
}
