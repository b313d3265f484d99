//! The list of shapes: who reads, draws, checks or judges obstacles and rigid bodies finds them here.

use super::given::Word;
use super::shape::Shape;
use super::shapes::{Block, Chain, Ellipsoid, HalfSpace, Revolved, Round, Surface};

macro_rules! shapes {
    ($($(#[$what:meta])* $shape:ident,)*) => {
        /// One of the shapes.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyShape {
            $($(#[$what])* $shape($shape),)*
        }

        $(impl From<$shape> for AnyShape {
            fn from(shape: $shape) -> Self {
                AnyShape::$shape(shape)
            }
        })*

        /// The words of all shapes.
        pub fn words() -> impl Iterator<Item = &'static Word> + Clone {
            [$($shape::WORDS,)*].into_iter().flatten()
        }

        /// Asks a shape, whichever it is: one dispatch for all that is asked.
        macro_rules! ask {
            ($any:expr, $one:ident => $answer:expr) => {
                match $any {
                    $($crate::geometry::AnyShape::$shape($one) => $answer,)*
                }
            };
        }
    };
}

shapes! {
    /// Everything behind a plane (a line in the plane).
    HalfSpace,
    /// Polygons and open chains of segments, in the plane.
    Chain,
    /// Box in space.
    Block,
    /// Circle, sphere, capsule or endless cylinder.
    Round,
    /// Ellipsoid.
    Ellipsoid,
    /// Cylinder or cone with flat ends.
    Revolved,
    /// Triangulated surface in space.
    Surface,
}

pub(super) use ask;
