//! Encryption between this machine and a server: TLS by rustls, with the words of PostgreSQL's own client in the URL.
//!
//! | `sslmode` | encrypted | who the server is |
//! |---|---|---|
//! | `disable` | no | |
//! | `prefer`, without a word | if the server offers it | not asked |
//! | `require` | yes | not asked |
//! | `verify-ca` | yes | anyone whom an authority vouches for |
//! | `verify-full` | yes | the host that the URL names |
//!
//! `sslrootcert=FILE` names the authorities, `prefer` and `require` then ask as `verify-ca` does; without it they
//! are those of the system. Whoever answers, nothing that comes from there is believed; who asks for less than `verify-full`
//! shows a stranger questions, proofs and, where the server wants it in the clear, a password.
//! No certificate of the client's own (`sslcert`): such a URL is refused.

use percent_encoding::percent_decode_str;
use postgres::Config;
use rustls::SignatureScheme;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Where systems keep the authorities that they trust: Debian's place, Fedora's, Alpine's.
const SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// What a server has to show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Nothing,
    Authority,
    Name,
}

/// How to come to a server.
pub struct Way {
    pub config: Config,
    asked: Asked,
    /// The authorities' file, if one is named.
    authorities: Option<PathBuf>,
}

/// Reads a URL. The client knows neither `sslrootcert` nor the modes that verify.
pub fn read(url: &str) -> Result<Way, String> {
    let (base, options) = url.split_once('?').unwrap_or((url, ""));
    let (mut asked, mut authorities, mut rest) = (Asked::Nothing, None, Vec::new());
    for option in options.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("sslmode", "verify-ca")) => asked = Asked::Authority,
            Some(("sslmode", "verify-full")) => asked = Asked::Name,
            Some(("sslrootcert", file)) => {
                let file = percent_decode_str(file).decode_utf8().map_err(|e| e.to_string())?;
                authorities = (file != "system").then(|| file.into_owned().into());
                asked = if asked == Asked::Nothing { Asked::Authority } else { asked };
                continue;
            }
            _ => {
                rest.push(option);
                continue;
            }
        }
        rest.push("sslmode=require");
    }
    let config = format!("{base}?{}", rest.join("&")).parse().map_err(|e| words(&e))?;
    Ok(Way { config, asked, authorities })
}

/// An error with its cause.
pub fn words(error: &postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

impl Way {
    /// What speaks TLS for the client.
    pub fn tls(&self) -> Result<MakeRustlsConnect, String> {
        let provider = Arc::new(ring::default_provider());
        let chain = match self.asked {
            Asked::Nothing => None,
            _ => Some(self.chain(&provider)?),
        };
        let verifier = Verifier { chain, name: self.asked == Asked::Name, provider };
        let config = ClientConfig::builder_with_provider(verifier.provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|e| e.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }

    fn chain(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, String> {
        let system = || SYSTEM.map(PathBuf::from).into_iter().find(|file| file.exists());
        let file = self.authorities.clone().or_else(system);
        let file =
            file.ok_or("this system lists no authorities: name a file (sslrootcert=FILE)")?;
        let verifier =
            WebPkiServerVerifier::builder_with_provider(roots(&file)?.into(), provider.clone());
        verifier.build().map_err(|e| format!("`{}`: {e}", file.display()))
    }
}

fn roots(file: &Path) -> Result<RootCertStore, String> {
    let unreadable = |e| format!("`{}`: {e}", file.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(unreadable)? {
        // Old authorities that cannot be read vouch for nobody.
        let _ = roots.add(certificate.map_err(unreadable)?);
    }
    Ok(roots)
}

/// Whom a connection is made with. The signatures of the handshake are checked in every case.
#[derive(Debug)]
struct Verifier {
    chain: Option<Arc<WebPkiServerVerifier>>,
    name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(certificate, between, name, ocsp, now) {
            // Required: rustls asks for the name after it accepted the chain.
            Err(Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }))
                if !self.name =>
            {
                Ok(ServerCertVerified::assertion())
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
