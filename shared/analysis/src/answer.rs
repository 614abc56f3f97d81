//! What is believed of a model's answer: objects that can be read, about files of the change, placed by the code
//! that they quote. A verdict, a closed finding of a rule or a file outside the change is not among it.

pub mod admit;
pub mod claim;
pub(crate) mod lenient;
pub mod place;
pub mod read;
pub mod settle;
