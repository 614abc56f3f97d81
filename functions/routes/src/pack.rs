//! From an upload's parts to what the use cases read.

use std::collections::BTreeMap;

use bytes::Bytes;
use prevet_app::inspection::{Contents, Context, Excerpt, Related};
use prevet_domain::policy::Policy;
use prevet_wire::context_pack::{ContextPack, RelatedFile};
use prevet_wire::policy_file;
use prevet_wire::upload_body::UploadBody;

/// Reads an upload's object.
pub fn decode(body: &Bytes) -> Result<Contents, String> {
    let parts = UploadBody::parse(body).map_err(|error| error.to_string())?;
    contents(body.slice_ref(parts.diff), parts.context)
}

/// Reads the parts of an upload.
pub fn contents(diff: Bytes, context: Option<&[u8]>) -> Result<Contents, String> {
    Ok(Contents { diff, context: context.map(read_context).transpose()? })
}

fn read_context(json: &[u8]) -> Result<Context, String> {
    let pack = ContextPack::parse(json).map_err(|error| error.to_string())?;
    let policy = pack.policy.as_deref().map(|text| policy_file::parse(policy_file::FILE_NAME, text));
    let policy = policy.transpose().map_err(|error| error.to_string())?.unwrap_or_else(Policy::default);
    let files = pack.files.into_iter().map(|file| (file.path, file.text.into_bytes())).collect();
    let mut left_out = BTreeMap::new();
    left_out.extend(pack.vendored.into_iter().map(|path| (path, "linguist-vendored")));
    left_out.extend(pack.generated.into_iter().map(|path| (path, "linguist-generated")));
    let related = pack.related.into_iter().map(read_related).collect();
    Ok(Context { policy, files, left_out, related })
}

fn read_related(file: RelatedFile) -> Related {
    let excerpts = file.excerpts.into_iter();
    let excerpts = excerpts.map(|it| Excerpt { first_line: it.first_line, text: it.text }).collect();
    Related { path: file.path, reasons: file.reasons, excerpts }
}
